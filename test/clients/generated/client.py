"""Works a served world with a client that was generated from its document: argv holds the URL of the admin path and its secret."""

import sys

from hindcast_client import AuthenticatedClient
from hindcast_client.api.clock import put_clock
from hindcast_client.api.log import get_log
from hindcast_client.api.journal import get_journal
from hindcast_client.api.worlds import create_world, list_worlds
from hindcast_client.models import CreateWorldBody, PutClockBody

url, secret = sys.argv[1:]
with AuthenticatedClient(base_url=url, token=secret, raise_on_unexpected_status=True) as admin:
    world = create_world.sync(client=admin, body=CreateWorldBody(name="generated"))
    assert world.name == "generated", world
    moved = put_clock.sync(world.id, client=admin, body=PutClockBody(advance="1h"))
    assert moved.now.hour == 1, moved
    journal = get_journal.sync(world.id, client=admin)
    assert [entry.kind for entry in journal] == ["clock"], journal
    log = get_log.sync(world.id, client=admin, journal="true")
    assert log.count("\n") > 2, log
    assert world.id in [one.id for one in list_worlds.sync(client=admin)]
    refused = create_world.sync_detailed(client=admin, body=CreateWorldBody(fork="nobody"))
    assert refused.status_code == 404, refused
print("python: as the document says")
