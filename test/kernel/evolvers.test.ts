import { describe, expect, it } from "vitest";
import { epochMs, logPosition } from "../../src/kernel/brand.ts";
import { changeEntry, produce } from "../../src/kernel/draft.ts";
import { type Evolvers, through, within } from "../../src/kernel/evolvers.ts";
import { FoldPass } from "../../src/kernel/fold.ts";
import { deepFreeze } from "../../src/kernel/plain.ts";
import { Table } from "../../src/kernel/table.ts";

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

describe("evolvers of a part of the state", () => {
  const inRooms = within<House, Lamp, LampEvents>((draft, { room }) => draft.rooms[room], lampEvolvers);

  it("change the part that each fact names, with all they know of the commit", () => {
    const next = produce(house, (draft) => inRooms.LampSwitched(draft, { room: "hall", on: true }, meta));
    expect(next.rooms).toEqual({ hall: { on: true, switchedAt: [7] }, attic: dark });
    expect(next.rooms["attic"]).toBe(house.rooms["attic"]);
  });

  it("accept facts about a part that is gone", () => {
    expect(produce(house, (draft) => inRooms.LampBroken(draft, { room: "garage" }, meta))).toBe(house);
  });

  it("are as many as there were", () => {
    expect(Object.keys(inRooms)).toEqual(["LampSwitched", "LampBroken"]);
  });
});

describe("evolvers of a part that lies in a table", () => {
  const inCellar = through<House, Lamp, LampEvents>(
    (draft, { room }, recipe) => changeEntry<"cellar", Lamp>(draft, "cellar", room, recipe),
    lampEvolvers,
  );

  it("change the entry that each fact names", () => {
    const next = produce(house, (draft) => inCellar.LampSwitched(draft, { room: "left", on: true }, meta));
    expect(next.cellar.get("left")).toEqual({ on: true, switchedAt: [7] });
    expect(house.cellar.get("left")).toBe(dark);
  });

  it("accept facts about an entry that is gone", () => {
    expect(produce(house, (draft) => inCellar.LampBroken(draft, { room: "right" }, meta))).toBe(house);
  });
});
