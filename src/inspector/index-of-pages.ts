/** A page as an index lists it; all of it is HTML. */
export interface ListedPage {
  readonly href: string;
  readonly title: string;
  readonly text: string;
}

/** A page that lists others which lie beside it. */
export function indexOfPages(title: string, heading: string, pages: readonly ListedPage[]): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>`,
    "<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}",
    "li{margin:0 0 1rem;overflow-wrap:anywhere}</style></head>",
    `<body><h1>${heading}</h1><ul>`,
    ...pages.map(({ href, title: name, text }) => `<li><a href="${href}">${name}</a><br>${text}</li>`),
    "</ul></body></html>\n",
  ].join("\n");
}

/** Text as HTML shows it, in attributes too. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
