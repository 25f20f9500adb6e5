import { describe, expect, it } from "vitest";
import { epochMs, logPosition } from "../../src/kernel/brand.ts";
import { type Evolvers, within } from "../../src/kernel/evolvers.ts";
import { FoldPass } from "../../src/kernel/fold.ts";
import { withEntry, withMember } from "../../src/kernel/parts.ts";
import { deepFreeze } from "../../src/kernel/plain.ts";
import { Table } from "../../src/kernel/table.ts";
import { throughout } from "../support/throughout.ts";

interface Lamp {
  readonly on: boolean;
  readonly switchedAt: readonly number[];
}

interface House {
  readonly rooms: { readonly [room: string]: Lamp };
  readonly cellar: Table<Lamp>;
}

interface LampEvents {
  LampSwitched: { readonly room: string; readonly on: boolean };
  LampBroken: { readonly room: string };
}

const lampEvolvers: Evolvers<Lamp, LampEvents> = {
  LampSwitched: (lamp, { on }, meta) => {
    lamp.on = on;
    lamp.switchedAt.push(meta.position);
  },
  LampBroken: (lamp) => {
    lamp.on = false;
  },
};

const dark: Lamp = { on: false, switchedAt: [] };
const house: House = deepFreeze({ rooms: { hall: dark, attic: dark }, cellar: Table.of<Lamp>().set("left", dark) });
const meta = new FoldPass(logPosition(7), epochMs(0));

describe("folding facts into a part of the state", () => {
  const inRooms = within<House, Lamp, LampEvents>(
    (house, { room }, change) =>
      withMember(house, "rooms", (rooms) => withMember(rooms as Record<string, Lamp>, room, change)),
    lampEvolvers,
  );

  it("changes the part that each fact names, with all it knows of the commit", () => {
    const next = inRooms.LampSwitched(house, { room: "hall", on: true }, meta);
    expect(next.rooms).toEqual({ hall: { on: true, switchedAt: [7] }, attic: dark });
    expect(next.rooms["attic"]).toBe(house.rooms["attic"]);
    expect(house.rooms["hall"]).toBe(dark);
  });

  it("accepts facts about a part that is gone", () => {
    expect(inRooms.LampBroken(house, { room: "garage" }, meta)).toBe(house);
  });

  it("gives the state itself when a fact changes nothing", () => {
    expect(inRooms.LampBroken(house, { room: "hall" }, meta)).toBe(house);
  });

  it("has a fold for each evolver", () => {
    expect(Object.keys(inRooms)).toEqual(["LampSwitched", "LampBroken"]);
  });
});

describe("folding facts into a part that lies in a table", () => {
  const inCellar = within<House, Lamp, LampEvents>(
    (house, { room }, change) => withMember(house, "cellar", (cellar) => withEntry(cellar, room, change)),
    lampEvolvers,
  );

  it("changes the entry that each fact names", () => {
    const next = inCellar.LampSwitched(house, { room: "left", on: true }, meta);
    expect(next.cellar.get("left")).toEqual({ on: true, switchedAt: [7] });
    expect(house.cellar.get("left")).toBe(dark);
  });

  it("accepts facts about an entry that is gone", () => {
    expect(inCellar.LampBroken(house, { room: "right" }, meta)).toBe(house);
  });
});

it("facts fold into the whole state, too", () => {
  expect(throughout(lampEvolvers).LampSwitched(dark, { room: "any", on: true }, meta)).toEqual({
    on: true,
    switchedAt: [7],
  });
});
