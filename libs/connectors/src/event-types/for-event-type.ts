/** What belongs to an event type, by its id; asking for one that is not there is a bug and throws. */
export const forEventType = <Value>(values: Readonly<Record<string, Value>>, id: string): Value => {
  const value = Object.hasOwn(values, id) ? values[id] : undefined;
  if (value === undefined) throw new TypeError(`no event type ${id}`);
  return value;
};
