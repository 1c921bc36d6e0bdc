import type { JsonText } from './json-text';

/**
 * A value in memory. Its type determines its kind, never the value:
 *
 * | kind | in memory |
 * |---|---|
 * | string | string |
 * | boolean | boolean |
 * | int of 8 to 32 bits, year | number |
 * | int of 64 bits | bigint |
 * | float | number, NaN and the infinities included; 32-bit floats are rounded by `Math.fround`; never -0 |
 * | decimal | canonical text: plain notation, no trailing zeros after the point, no `-0` (`100`, `-1.5`) |
 * | datetime | canonical text: RFC 3339 UTC with `Z` and 0, 3, 6 or 9 fraction digits |
 * | date | `yyyy-mm-dd` |
 * | time | `HH:mm:ss` with 0, 3, 6 or 9 fraction digits |
 * | uuid | lower-case 8-4-4-4-12 |
 * | ip | canonical text, RFC 5952 for IPv6 |
 * | json | {@link JsonText}: the compact JSON text, parsed only when somebody looks inside |
 * | array | readonly array |
 * | object | {@link RecordValue}: an object without a prototype; a missing property is not there at all |
 * | map | ReadonlyMap from string to value |
 *
 * `null` stands for the null of a nullable property; the JSON null of kind json is a {@link JsonText}.
 * Canonical texts without their `Z` order as the moments that they name, so comparing text compares time.
 */
export type Value =
  | null
  | string
  | boolean
  | number
  | bigint
  | JsonText
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | RecordValue;

/** An object's members by name. Made by {@link newRecord} only: it has no prototype to collide with. */
export interface RecordValue {
  readonly [name: string]: Value | undefined;
}

/** Its instances inherit nothing, yet are as fast as those of any class, which `Object.create(null)` is not. */
const Bare = function () {
  // Nothing of its own.
} as unknown as new () => { [name: string]: Value | undefined };
Bare.prototype = Object.freeze(Object.create(null) as object);

/** An empty record, to be filled before it is shared. */
export const newRecord = (): { [name: string]: Value | undefined } => new Bare();
