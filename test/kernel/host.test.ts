import { describe, expect, it } from "vitest";
import { logPosition } from "../../src/kernel/brand.ts";
import { LiveHost, PastHost } from "../../src/kernel/host.ts";
import { Journal } from "../../src/kernel/journal.ts";
import {
  afterStart,
  callOf,
  failKeepingFacts,
  type Kitchen,
  type OpenKitchen,
  openKitchen,
  START_MS,
} from "../support/kitchen.ts";

function liveHost(kitchen: OpenKitchen): { host: LiveHost<never, never>; journal: Journal } {
  const journal = new Journal(10, kitchen.timeline, { why: ({ refusal }) => refusal.code });
  return { host: new LiveHost(kitchen.timeline, kitchen.clock, journal) as unknown as LiveHost<never, never>, journal };
}

const cookNow = callOf("cook", { stove: "gas", dish: "soup", ms: 0 });

describe("the present", () => {
  it("gives the caller what was made of the outcome", () => {
    const { host } = liveHost(openKitchen());
    expect(host.execute(cookNow, ({ kind }) => `it was ${kind}`)).toBe("it was accepted");
  });

  it("fires what the commit has made due after the answer was made, and before the caller goes on", () => {
    const kitchen = openKitchen();
    const { host } = liveHost(kitchen);
    const positionOfAnswer = host.execute(cookNow, () => kitchen.timeline.position);
    expect(positionOfAnswer).toBe(1);
    expect(kitchen.log()).toEqual(["1@+0 cook DishStarted", "2@+0 timer.dishDone DishServed"]);
  });

  it("fires it also when making the answer throws, as a call does that failed keeping facts", () => {
    const kitchen = openKitchen({
      deciders: {
        burn: (decision) => {
          decision.record({
            type: "DishStarted",
            data: { stove: "gas", dish: "soup", doneAtMs: decision.nowMs, label: "" },
          });
          return failKeepingFacts("out_of_gas", {});
        },
      },
    });
    const { host } = liveHost(kitchen);
    expect(() =>
      host.execute(callOf("burn"), () => {
        throw new Error("out_of_gas");
      }),
    ).toThrow("out_of_gas");
    expect(kitchen.log()).toEqual(["1@+0 burn DishStarted failed out_of_gas", "2@+0 timer.dishDone DishServed"]);
  });

  it("is where the timeline stands", () => {
    const kitchen = openKitchen();
    const { host } = liveHost(kitchen);
    host.execute(cookNow, () => undefined);
    kitchen.clock.advanceTo(afterStart(9));
    expect(host).toMatchObject({ takesCommands: true, nowMs: afterStart(9), position: 2 });
    expect(host.state).toBe(kitchen.timeline.state);
  });

  it("counts what it was asked: commands and reads, but nothing that fired by itself", () => {
    const kitchen = openKitchen();
    const { host } = liveHost(kitchen);
    host.execute(cookNow, () => undefined);
    host.serve();
    expect(kitchen.timeline.position).toBe(2);
    expect((host as unknown as { asked: number }).asked).toBe(2);
  });

  it("notes requests in the journal, with instant and position", () => {
    const kitchen = openKitchen();
    const { host, journal } = liveHost(kitchen);
    kitchen.clock.advanceTo(afterStart(5));
    host.execute(callOf("note", { text: "one" }), () => undefined);
    const request = { method: "POST", url: "/notes", headers: {} };
    const response = { status: 204, headers: {} };
    host.journal
      .begin({ program: host.program, request: () => request })
      .answered({ position: host.position, response: () => response });
    const [atMs, answeredAtMs] = [afterStart(5), afterStart(5)];
    expect(journal.entries()).toEqual([
      { kind: "request", n: 1, atMs, answeredAtMs, position: 1, program: "author", request, response },
    ]);
  });
});

describe("the present, once it was disposed of,", () => {
  const disposed = () => {
    const kitchen = openKitchen();
    const { host } = liveHost(kitchen);
    const waiting = new Promise<void>((resolve, reject) => {
      const ends = { changed: () => true, expired: resolve, failed: reject };
      const watch = { name: "notes", of: ({ notes }: Kitchen) => notes };
      host.wait({ request: "GET /notes", untilMs: afterStart(500) }, watch, ends);
    });
    return { kitchen, host, waiting };
  };

  it("refuses commands, requests and looks at its state", async () => {
    const { kitchen, host, waiting } = disposed();
    host.dispose();
    const complaint = "this simulator was disposed of: make another one, or fork before disposing";
    for (const use of [() => host.execute(cookNow, () => undefined), () => host.serve(), () => host.state]) {
      expect(use).toThrow(new TypeError(complaint));
    }
    expect(kitchen.timeline.position).toBe(0);
    await expect(waiting).rejects.toThrow("the simulator was disposed of while GET /notes still waited");
  });

  it("may be disposed of again", async () => {
    const { host, waiting } = disposed();
    host.dispose();
    expect(() => host.dispose()).not.toThrow();
    await expect(waiting).rejects.toThrow();
  });
});

describe("a moment of the past", () => {
  const past = (): { kitchen: OpenKitchen; host: PastHost<never, never> } => {
    const kitchen = openKitchen();
    for (const text of ["one", "two", "three"]) kitchen.ask("note", { text });
    const host = new PastHost(kitchen.timeline, { position: logPosition(2), atMs: START_MS });
    return { kitchen, host: host as unknown as PastHost<never, never> };
  };

  it("shows the state as it was, whatever happens in the present", () => {
    const { kitchen, host } = past();
    kitchen.ask("note", { text: "four" });
    expect(host).toMatchObject({ takesCommands: false, nowMs: START_MS, position: 2 });
    expect((host.state as { notes: string[] }).notes).toEqual(["one", "two"]);
  });

  it("takes no commands", () => {
    const { kitchen, host } = past();
    expect(() => host.execute(cookNow)).toThrow(
      new TypeError("cook is a command, and a view of the past only reads: fork it to go on from there"),
    );
    expect(kitchen.timeline.position).toBe(3);
  });

  it("draws for its answers without the present noticing", () => {
    const { kitchen, host } = past();
    const twin = past().kitchen;
    host.serve();
    expect(kitchen.timeline.serve().uint32()).toBe(twin.timeline.serve().uint32());
  });

  it("notes nothing", () => {
    const { host } = past();
    expect(host.journal).toBeUndefined();
  });
});
