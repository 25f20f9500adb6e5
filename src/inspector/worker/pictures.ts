/// <reference types="vite/types/importMeta.d.ts" />

/** The pictures of charts, by their files. */
const pictures = import.meta.glob<string>("../../../machines/pictures/*.svg", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The picture of a chart, as SVG without a style: the page has its own. Undefined for what has no picture. */
export function pictureOf(machine: string): string | undefined {
  return pictures[`../../../machines/pictures/${machine}.svg`]?.replace(/<style>.*?<\/style>/s, "");
}
