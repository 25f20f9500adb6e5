import { describe, expect, it } from "vitest";
import { deciderSpecification, drawn } from "../support/decider-specification.ts";
import {
  afterStart,
  callOf,
  failKeepingFacts,
  type KitchenEvent,
  kitchenModel,
  newKitchen,
  refuse,
  START_MS,
} from "../support/kitchen.ts";

const model = kitchenModel({
  lightTheGas: (decision, input) => {
    decision.record({ type: "NoteWritten", data: { text: "the gas was lit" } });
    if (input === "and the oven") refuse("out_of_gas", {});
    failKeepingFacts("out_of_gas", {});
  },
});

const kitchen = deciderSpecification({ model, initialState: newKitchen(), startAtMs: START_MS });

const started = (dish: string, ms: number, label: string): KitchenEvent => ({
  type: "DishStarted",
  data: { stove: "gas", dish, doneAtMs: afterStart(ms), label },
});

const cook = (dish: string, ms: number) => callOf("cook", { stove: "gas", dish, ms });

describe("the kitchen's deciders", () => {
  it("put a dish on with a label of eight characters", () => {
    kitchen.when(cook("soup", 500)).then(started("soup", 500, drawn(1, 8)));
  });

  it("refuse a dish that is cooking already", () => {
    kitchen
      .given(started("soup", 500, ""))
      .when(cook("soup", 500))
      .thenRefused("dish_is_cooking", { dish: "soup" });
  });

  it("put it on again when it was served meanwhile", () => {
    kitchen
      .given(started("soup", 500, ""))
      .after(500)
      .when(cook("soup", 10))
      .then(started("soup", 510, drawn(1, 8)));
  });

  it("throw nothing away where nothing is", () => {
    kitchen.when(callOf("throwAway", { stove: "gas", dish: "soup" })).thenNothing();
  });

  it("keep what happened when the gas goes out", () => {
    kitchen
      .when(callOf("lightTheGas"))
      .thenFailed("out_of_gas", [{ type: "NoteWritten", data: { text: "the gas was lit" } }]);
  });

  it("answer with the label of a dish", () => {
    kitchen.when(cook("soup", 1)).thenAnswered(drawn(1, 8));
  });
});

describe("a specification", () => {
  const fails = (check: () => void) => expect(check).toThrow(/expected/);

  it("fails for other facts, for more, and for fewer", () => {
    fails(() => kitchen.when(cook("soup", 500)).then(started("soup", 501, drawn(1, 8))));
    fails(() => kitchen.when(cook("soup", 500)).then());
    fails(() => kitchen.when(cook("soup", 500)).then(started("soup", 500, drawn(1, 8)), started("stew", 1, "")));
  });

  it("fails for another outcome", () => {
    fails(() => kitchen.when(cook("soup", 500)).thenNothing());
    fails(() => kitchen.when(cook("soup", 500)).thenRefused("dish_is_cooking", { dish: "soup" }));
    fails(() => kitchen.when(callOf("lightTheGas")).thenRefused("out_of_gas", {}));
    fails(() => kitchen.when(callOf("lightTheGas", "and the oven")).thenFailed("out_of_gas", []));
    fails(() => kitchen.when(callOf("throwAway", { stove: "gas", dish: "soup" })).then(started("soup", 1, "")));
  });

  it("fails for another reason of the refusal", () => {
    const refused = kitchen.given(started("soup", 500, "")).when(cook("soup", 500));
    fails(() => refused.thenRefused("out_of_gas", {}));
    fails(() => refused.thenRefused("dish_is_cooking", { dish: "stew" }));
  });

  it("may go on from one past in several ways", () => {
    const soupOn = kitchen.given(started("soup", 500, ""));
    soupOn.when(cook("stew", 1)).then(started("stew", 1, drawn(1, 8)));
    soupOn
      .after(100)
      .when(cook("stew", 1))
      .then(started("stew", 101, drawn(1, 8)));
  });
});
