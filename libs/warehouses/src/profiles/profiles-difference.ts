import {
  type Issue,
  pointer,
  printType,
  type Property,
  type Schema,
  type Type,
} from '@penstock/schema';
import { type Leaf, leavesOf } from './check-profile-schema';

/** New path → the path that the property had, or `null` for a fresh one under an old name. */
export type RePaths = ReadonlyMap<string, string | null>;

/** How one schema of profiles becomes another one, in leaves. */
export interface ProfilesDifference {
  readonly dropped: readonly Leaf[];
  readonly renamed: readonly { readonly from: Leaf; readonly to: Leaf }[];
  readonly added: readonly Leaf[];
}

/** An old property that a new one may go on from; several are an error. */
interface Match {
  readonly path: string;
  readonly from: string;
}

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('.'), 0));

const below = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`);

/** A type without what may always be changed: order and descriptions. */
const bare = (type: Type): Type =>
  type.kind === 'object'
    ? {
        ...type,
        properties: type.properties
          .map((each) => ({ ...each, description: '', type: bare(each.type) }))
          .sort((one, other) => (one.name < other.name ? -1 : 1)),
      }
    : type;

const isSame = (one: Type, other: Type): boolean => printType(bare(one)) === printType(bare(other));

/** Compares two schemas property by property. */
class Comparison {
  readonly issues: Issue[] = [];
  readonly matches: Match[] = [];
  /** Path of a property that was compared → JSON pointer to it. */
  private readonly places = new Map<string, string>();
  private readonly taken = new Map<string, string>();

  constructor(private readonly rePaths: RePaths) {}

  /** @param at path of the object. @param place JSON pointer to its notation in the request. */
  compare(given: Schema, present: Schema, at: string, place: string): void {
    given.properties.forEach((property, index) => {
      this.places.set(below(at, property.name), `${place}/properties/${String(index)}`);
      this.property(property, present, at);
    });
  }

  /** Reports what names a path that there is no property at. */
  checkPaths(): void {
    for (const [path, from] of this.rePaths)
      if (!this.places.has(path))
        this.refuse(
          path,
          from === null
            ? 'is no property of the new schema, or within one that is new or renamed'
            : `cannot go on from ${from}: it is no property of the new schema, or within one that is new or renamed`,
        );
  }

  private refuse(path: string, message: string): void {
    const place = this.rePaths.has(path) ? pointer('rePaths', path) : this.places.get(path);
    this.issues.push({ path: place ?? '', message: `${path}: ${message}` });
  }

  private property({ name, type }: Property, present: Schema, at: string): void {
    const path = below(at, name);
    const from = this.sourceOf(path, present, at);
    if (from === undefined) return;
    const other = this.taken.get(from);
    if (other !== undefined)
      return this.refuse(path, `goes on from ${from}, from which ${other} goes on too`);
    this.taken.set(from, path);
    const old = present.properties.find((each) => below(at, each.name) === from);
    if (old !== undefined) this.types(path, type, from, old.type);
  }

  /** @returns undefined for a new property. */
  private sourceOf(path: string, { properties }: Schema, at: string): string | undefined {
    const names = new Set(properties.map(({ name }) => below(at, name)));
    const given = this.rePaths.get(path);
    if (given === null) return undefined;
    if (given === undefined) return names.has(path) ? path : undefined;
    if (names.has(given)) return given;
    this.refuse(
      path,
      parentOf(given) === at
        ? `cannot go on from ${given}: the present schema has no such property`
        : `cannot go on from ${given}: a property stays where it is, only its name changes`,
    );
    return undefined;
  }

  private types(path: string, type: Type, from: string, old: Type): void {
    if (type.kind === 'object' && old.kind === 'object' && path === from)
      return this.compare(type, old, path, `${this.places.get(path) ?? ''}/type`);
    if (isSame(type, old)) this.matches.push({ path, from });
    else if (type.kind === 'object' && old.kind === 'object')
      this.refuse(path, `cannot be renamed from ${from} while what is in it changes`);
    else
      this.refuse(
        path,
        `must keep the type of ${from}: ${printType(old)}, or be a fresh property with null in rePaths`,
      );
  }
}

/** The old leaves of a match: itself, or what is in an object that was renamed as it is. */
const matched = (old: ReadonlyMap<string, Leaf>, { from }: Match): readonly Leaf[] => {
  const own = old.get(from);
  if (own !== undefined) return [own];
  return [...old.values()].filter(({ path }) => path.startsWith(`${from}.`));
};

/**
 * How the present schema becomes the given one.
 *
 * @param rePaths what is renamed, and what is fresh although its name is not.
 * @returns what is not possible, as JSON pointers into a request with `schema` and `rePaths`; else the difference.
 */
export const profilesDifference = (
  present: Schema,
  given: Schema,
  rePaths: RePaths,
): { readonly issues: readonly Issue[] } | ProfilesDifference => {
  const comparison = new Comparison(rePaths);
  comparison.compare(given, present, '', '/schema');
  comparison.checkPaths();
  const { issues, matches } = comparison;
  if (issues.length > 0) return { issues };
  const old = new Map(leavesOf(present).map((leaf) => [leaf.path, leaf]));
  const unmatched = new Map(leavesOf(given).map((leaf) => [leaf.path, leaf]));
  const renamed: { from: Leaf; to: Leaf }[] = [];
  for (const match of matches)
    for (const from of matched(old, match)) {
      const to = unmatched.get(match.path + from.path.slice(match.from.length));
      if (to === undefined) continue;
      old.delete(from.path);
      unmatched.delete(to.path);
      if (from.column !== to.column) renamed.push({ from, to });
    }
  return { dropped: [...old.values()], renamed, added: [...unmatched.values()] };
};
