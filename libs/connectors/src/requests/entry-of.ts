/** The entry of a table, such as that of an event type; throws when there is none, which is a bug. */
export const entryOf = <Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry => {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry === undefined) throw new TypeError(`there is no ${name}`);
  return entry;
};
