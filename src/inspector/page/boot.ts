import { held } from "./held.ts";

// The script of the page stands in it, by gzip. Its sum is in the content security policy: nothing else would run.
const unpacked = new Blob([held("page")]).stream().pipeThrough(new DecompressionStream("gzip"));
void new Response(unpacked).text().then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  document.body.append(script);
});
