import type { Calls, Question, Said } from "../protocol.ts";
import { OpenedLog } from "./opened-log.ts";

// The page's worker: it holds the simulator and answers questions about its log.

let log: OpenedLog | undefined;

const calls: Calls = {
  open: async (bytes) => {
    log = await OpenedLog.read(bytes, (progress) => say({ progress }));
    return log.overview();
  },
  find: (filter) => opened().find(filter),
  rows: (ids) => opened().rows(ids),
  lanes: (from, to) => opened().lanes(from, to),
  moment: (row, open) => opened().moment(row, open),
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
    case "rows":
      return { id, result: calls.rows(...question.args) };
    case "lanes":
      return { id, result: calls.lanes(...question.args) };
    case "moment":
      return { id, result: calls.moment(...question.args) };
    case "blame":
      return { id, result: calls.blame(...question.args) };
  }
}

function say(what: Said): void {
  postMessage(what);
}
