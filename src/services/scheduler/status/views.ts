import type { ViewAsked } from "../declare.ts";
import { schedulerOf } from "../world.ts";

/** The release that the simulator was compared with (amendments.md). */
const VERSION = "1.6.5";
const SERVER_PORT = 4647;
const MEMBER_PORT = 4648;

type Where = Pick<ViewAsked, "name" | "world">;

/** Where the servers of a region talk to each other. */
export function serverOf(where: Where): string {
  return `${hostOf(where)}:${SERVER_PORT}`;
}

function hostOf({ name, world }: Where): string {
  return new URL(schedulerOf(world).sites[name] ?? "").hostname;
}

/** What an agent tells of itself: of the members that the real service shows, those that the simulator knows. */
export interface AgentDocument {
  readonly config: {
    readonly Region: string;
    readonly Datacenter: string;
    readonly Version: { readonly Version: string };
    readonly ACL: { readonly Enabled: boolean };
    readonly Server: { readonly Enabled: boolean };
  };
  readonly member: {
    readonly Name: string;
    readonly Addr: string;
    readonly Port: number;
    readonly Status: "alive";
    readonly Tags: { readonly [tag: string]: string };
  };
  readonly stats: { readonly [part: string]: { readonly [name: string]: string } };
}

export function agentDocument(where: Where & Pick<ViewAsked, "region">): AgentDocument {
  const { name, world, region } = where;
  const isLed = region.leaderLostAtMs === undefined;
  return {
    config: {
      Region: name,
      Datacenter: "dc1",
      Version: { Version: VERSION },
      ACL: { Enabled: schedulerOf(world).aclEnabled },
      Server: { Enabled: true },
    },
    member: {
      Name: `server.${name}`,
      Addr: hostOf(where),
      Port: MEMBER_PORT,
      Status: "alive",
      Tags: { region: name, dc: "dc1", build: VERSION },
    },
    stats: { raft: { state: isLed ? "Leader" : "Follower", applied_index: `${region.index}` } },
  };
}

export interface NamespaceDocument {
  readonly Name: string;
  readonly Description: string;
  readonly Quota: string;
  readonly Capabilities: null;
  readonly Meta: null;
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

export function namespaceDocument(name: string, index: number): NamespaceDocument {
  return {
    Name: name,
    Description: "Default shared namespace",
    Quota: "",
    Capabilities: null,
    Meta: null,
    CreateIndex: index,
    ModifyIndex: index,
  };
}
