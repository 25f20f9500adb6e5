import { bytesOfBase85 } from "../base85.ts";

const PART_BYTES = 1 << 18;

/** How gzip begins. */
const GZIP = [0x1f, 0x8b];

/** The log in the page of another run. */
const LOG_OF_PAGE = /<script type="text\/plain" id="log">([^<]*)</;

/** The text of a log, of a file that somebody has: the log, or the same by gzip, or a page that holds one. */
export function textsIn(bytes: ArrayBuffer): AsyncIterable<string> {
  const start = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (start[0] === GZIP[0] && start[1] === GZIP[1]) return unpacked(bytes);
  const text = new TextDecoder().decode(bytes);
  const held = text.startsWith("<") ? LOG_OF_PAGE.exec(text)?.[1] : undefined;
  return held === undefined ? inOne(text) : unpacked(bytesOfBase85(held).buffer);
}

async function* inOne(text: string): AsyncGenerator<string> {
  yield text;
}

/** The text of a log by gzip. */
export function unpacked(
  bytes: ArrayBuffer,
  progress: (share: number) => void = () => undefined,
): AsyncIterable<string> {
  const total = bytes.byteLength;
  let at = 0;
  const compressed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      progress(at / total);
      const length = Math.min(PART_BYTES, total - at);
      if (length > 0) controller.enqueue(new Uint8Array(bytes, at, length));
      else controller.close();
      at += length;
    },
  });
  return textsOf(compressed.pipeThrough(new DecompressionStream("gzip")));
}

/** Bytes as text, wherever they are cut. */
export async function* textsOf(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  // Not every browser iterates over streams.
  const texts = bytes.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await texts.read();
    if (done) return;
    yield value;
  }
}
