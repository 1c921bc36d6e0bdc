/** A part of a statement: what is executed, what is quoted (texts and names), or a comment. */
export interface SqlPart {
  readonly kind: 'code' | 'quoted' | 'comment';
  readonly text: string;
}

/** Something that begins as `start` says and ends behind `end`, or with the statement. */
interface Delimited {
  readonly kind: SqlPart['kind'];
  /** Sticky. */
  readonly start: RegExp;
  /** Global; may depend on the match of `start`. */
  readonly end: (start: RegExpExecArray) => RegExp;
  /** Whether the same may begin again inside, and has to end again. */
  readonly nests?: boolean;
}

/** What is not code in a dialect of SQL; the first that fits counts. */
export type SqlDialect = readonly Delimited[];

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Where the part ends that begins with `start`. */
const endOf = ({ start, end, nests }: Delimited, match: RegExpExecArray, text: string): number => {
  const closing = end(match);
  let at = match.index + match[0].length;
  for (let depth = 1; depth > 0;) {
    const close = matchAt(closing, text, at);
    if (close === null) return text.length;
    let inner: RegExpExecArray | null = null;
    for (let look = at; nests === true && look < close.index && inner === null; look += 1)
      inner = matchAt(start, text, look);
    depth += inner === null ? -1 : 1;
    const { index, 0: found } = inner ?? close;
    at = index + found.length;
  }
  return at;
};

/** Divides a statement into its parts, which together are the statement. */
export function* sqlParts(text: string, dialect: SqlDialect): Generator<SqlPart> {
  let codeFrom = 0;
  for (let at = 0; at < text.length;) {
    const begun = dialect
      .map((each) => ({ each, match: matchAt(each.start, text, at) }))
      .find(({ match }) => match !== null);
    if (begun?.match == null) {
      at += 1;
      continue;
    }
    const end = endOf(begun.each, begun.match, text);
    if (begun.each.kind !== 'code') {
      if (at > codeFrom) yield { kind: 'code', text: text.slice(codeFrom, at) };
      yield { kind: begun.each.kind, text: text.slice(at, end) };
      codeFrom = end;
    }
    at = end;
  }
  if (codeFrom < text.length) yield { kind: 'code', text: text.slice(codeFrom) };
}
