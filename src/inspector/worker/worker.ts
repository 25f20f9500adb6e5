import type { Calls, Opened, Question, Said } from "../protocol.ts";
import { copied } from "./copied.ts";
import type { OpenedLog } from "./opened-log.ts";
import { pictureOf } from "./pictures.ts";
import { readSource } from "./reading.ts";

// The page's worker: it holds the simulator and answers questions about its log.

let log: OpenedLog | undefined;

const calls: Calls = {
  open: (source) =>
    new Promise((resolve, reject) => {
      let isTold = false;
      const reader = {
        opened: (opening: OpenedLog) => {
          log = opening;
        },
        grown: (grown: Opened) => {
          if (isTold) say({ grown });
          else resolve(grown);
          isTold = true;
        },
      };
      readSource(source, reader).catch(reject);
    }),
  find: (filter, grouping) => opened().find(filter, grouping),
  conditions: () => opened().conditions(),
  rows: (ids) => opened().rows(ids),
  lanes: (from, to, paths) => opened().lanes(from, to, paths),
  between: (from, to) => opened().between(from, to),
  writers: (path, position) => opened().writers(path, position),
  picture: (machine) => pictureOf(machine),
  moment: (row, open, withTopology) => opened().moment(row, open, withTopology),
  stateHash: (position) => opened().stateHash(position),
  offers: () => opened().offers(),
  begin: (from) => opened().branches.begin(from),
  act: (branch, deed) => opened().branches.act(branch, deed),
  compare: (one, other) => opened().branches.compare(one, other),
  copied: (branch, form) => copied(opened().branches.at(branch), form),
  blame: (path, position) => opened().blame(path, position),
};

function opened(): OpenedLog {
  if (log === undefined) throw new Error("no log is open");
  return log;
}

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  answered(data).then(say, (error: unknown) =>
    say({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
  );
});

async function answered(question: Question): Promise<Said> {
  const { id } = question;
  switch (question.method) {
    case "open":
      return { id, result: await calls.open(...question.args) };
    case "find":
      return { id, result: calls.find(...question.args) };
    case "conditions":
      return { id, result: calls.conditions() };
    case "rows":
      return { id, result: calls.rows(...question.args) };
    case "lanes":
      return { id, result: calls.lanes(...question.args) };
    case "between":
      return { id, result: calls.between(...question.args) };
    case "writers":
      return { id, result: calls.writers(...question.args) };
    case "picture":
      return { id, result: calls.picture(...question.args) };
    case "moment":
      return { id, result: calls.moment(...question.args) };
    case "stateHash":
      return { id, result: calls.stateHash(...question.args) };
    case "offers":
      return { id, result: calls.offers() };
    case "begin":
      return { id, result: await calls.begin(...question.args) };
    case "act":
      return { id, result: await calls.act(...question.args) };
    case "compare":
      return { id, result: calls.compare(...question.args) };
    case "copied":
      return { id, result: calls.copied(...question.args) };
    case "blame":
      return { id, result: calls.blame(...question.args) };
  }
}

function say(what: Said): void {
  postMessage(what);
}
