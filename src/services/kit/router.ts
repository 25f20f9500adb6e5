import type { Operation } from "./operation.ts";
import type { Named } from "./registry.ts";

/** What a path leads to, whatever the verb: the operations by their verbs, and what it captures, in order. */
export interface Found<O extends Operation> {
  readonly verbs: ReadonlyMap<string, Named<O>>;
  readonly values: readonly string[];
}

interface Node<O extends Operation> {
  readonly texts: Map<string, Node<O>>;
  /** Behind one segment, whatever it is. */
  one?: Node<O>;
  /** Behind several of them, by the text that follows; the longest text first. */
  readonly several: { readonly ending: readonly string[]; readonly verbs: Map<string, Named<O>> }[];
  readonly verbs: Map<string, Named<O>>;
}

/**
 * Finds operations by paths. Patterns are made of texts, of captures of one segment (`:name`) and of captures of several (`**:name`), behind
 * which there are texts only; a captured segment is never empty. A text goes before a capture, and one segment before several.
 */
export class Router<O extends Operation> {
  readonly #root: Node<O> = newNode();
  readonly #holdsEmpty: boolean;

  /** @param holdsEmpty whether several segments may have empty ones among them */
  constructor({ holdsEmpty = false }: { readonly holdsEmpty?: boolean } = {}) {
    this.#holdsEmpty = holdsEmpty;
  }

  /** Adds an operation at a pattern: `/v1/acl/policy/:policy_name`. Patterns that differ in the names of captures only are one. */
  add(pattern: string, named: Named<O>): void {
    let node = this.#root;
    const segments = pattern.split("/");
    for (const [index, segment] of segments.entries()) {
      if (segment.startsWith("**:")) {
        endingOf(node, segments.slice(index + 1)).set(named.operation.verb, named);
        return;
      }
      node = segment.startsWith(":") ? oneBehind(node) : childOf(node, segment);
    }
    node.verbs.set(named.operation.verb, named);
  }

  /** Where a path leads; undefined when no pattern fits. */
  find(segments: readonly string[]): Found<O> | undefined {
    const values: string[] = [];
    const verbs = this.#verbsAt(this.#root, segments, 0, values);
    return verbs === undefined ? undefined : { verbs, values };
  }

  #verbsAt(node: Node<O>, segments: readonly string[], index: number, values: string[]): Node<O>["verbs"] | undefined {
    const segment = segments[index];
    if (segment === undefined) return node.verbs.size === 0 ? undefined : node.verbs;
    const text = node.texts.get(segment);
    const found = text === undefined ? undefined : this.#verbsAt(text, segments, index + 1, values);
    if (found !== undefined) return found;
    if (node.one !== undefined && segment !== "") {
      values.push(segment);
      const behind = this.#verbsAt(node.one, segments, index + 1, values);
      if (behind !== undefined) return behind;
      values.pop();
    }
    for (const { ending, verbs } of node.several) {
      const end = segments.length - ending.length;
      if (end <= index || !ending.every((word, at) => word === segments[end + at])) continue;
      const taken = segments.slice(index, end);
      if (this.#holdsEmpty ? taken.join("/") === "" : taken.includes("")) continue;
      values.push(taken.join("/"));
      return verbs;
    }
    return undefined;
  }
}

function newNode<O extends Operation>(): Node<O> {
  return { texts: new Map(), several: [], verbs: new Map() };
}

function oneBehind<O extends Operation>(node: Node<O>): Node<O> {
  node.one ??= newNode();
  return node.one;
}

function childOf<O extends Operation>({ texts }: Node<O>, text: string): Node<O> {
  const child = texts.get(text) ?? newNode<O>();
  texts.set(text, child);
  return child;
}

function endingOf<O extends Operation>({ several }: Node<O>, ending: readonly string[]): Map<string, Named<O>> {
  const known = several.find((one) => one.ending.join("/") === ending.join("/"));
  if (known !== undefined) return known.verbs;
  const verbs = new Map<string, Named<O>>();
  several.push({ ending, verbs });
  several.sort((left, right) => right.ending.length - left.ending.length);
  return verbs;
}

/** Values of captures under the names that an operation has for them. */
export function namedCaptures({ captures }: Operation, values: readonly string[]): { readonly [name: string]: string } {
  const named: Record<string, string> = {};
  captures.forEach((capture, index) => {
    const value = values[index];
    if (value !== undefined) named[capture] = value;
  });
  return named;
}

/** Known routes that begin like a path, the likest first: for whoever mistyped one. */
export function nearestRoutes(operations: Iterable<Operation>, asked: readonly string[]): string[] {
  const scored = [...operations].map(({ verb, path, segments }) => {
    const alike = segments.filter((segment, index) => segment === asked[index] || segment.startsWith(":")).length;
    return { route: `${verb} ${path}`, score: alike - Math.abs(segments.length - asked.length) / 10 };
  });
  scored.sort((left, right) => right.score - left.score);
  return scored.slice(0, NEAREST).map(({ route }) => route);
}

const NEAREST = 3;
