/** What each value takes beside its text. */
const EACH = 8;

/** About how much memory a value takes, in UTF-16 units of text. */
export const unitsOf = (value: unknown): number => {
  if (typeof value === 'string') return EACH + value.length;
  if (typeof value !== 'object' || value === null) return EACH;
  let units = EACH;
  if (value instanceof Map)
    for (const [name, each] of value) units += unitsOf(name) + unitsOf(each);
  else for (const each of Object.values(value)) units += unitsOf(each);
  return units;
};
