/** Something that does not agree with the facts. Holds names and positions, no values. */
export interface Difference {
  /** A topic or table, and what in it. */
  readonly where: string;
  readonly what: string;
}

/** JSON text that is the same for equal values, in whatever order their members stand. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
