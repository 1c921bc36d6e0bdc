/** A deviation from the facts. Holds names and positions, no values. */
export interface Difference {
  /** The topic or table, and the key or position in it. */
  readonly where: string;
  readonly what: string;
}

/** JSON text with sorted members, which is the same for equal values. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
