import {
  isIdentifying,
  profilesOf,
  Refusal,
  type RefusalDetail,
  type ResolutionSettings,
  resolutionSettingsOf,
  type Sealed,
  type SetResolutionSettings,
  type WarehouseState,
} from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import { isPropertyPath, pointer, resolvePath, type Schema } from '@penstock/schema';
import { MAX_IDENTIFIERS } from '@penstock/warehouses';

/** Most values that are blocked for one identifier. */
const MAX_BLOCKED = 1_000;

const at = (index: number): string => pointer('identifiers', String(index));

const identifierIssues = (identifiers: readonly string[]): RefusalDetail[] => [
  ...(identifiers.length > MAX_IDENTIFIERS
    ? [{ path: '/identifiers', message: `has more than ${String(MAX_IDENTIFIERS)} items` }]
    : []),
  ...identifiers.flatMap((path, index) => {
    if (!isPropertyPath(path))
      return [{ path: at(index), message: 'is not the path of a property' }];
    return identifiers.indexOf(path) < index
      ? [{ path: at(index), message: `${path}: is there more than once` }]
      : [];
  }),
];

/** The texts of the lists of blocked values, without those that are empty; and what is wrong with them. */
const openedLists = (
  seals: Seals,
  { id }: WarehouseState,
  { identifiers, blockedValues = {} }: SetResolutionSettings,
): { readonly texts: ReadonlyMap<string, string>; readonly issues: readonly RefusalDetail[] } => {
  const texts = new Map<string, string>();
  const issues: RefusalDetail[] = [];
  for (const [path, sealed] of Object.entries(blockedValues)) {
    const place = pointer('blockedValues', path);
    const text = seals.open(sealed, id);
    const { length } = JSON.parse(text) as string[];
    if (!identifiers.includes(path)) issues.push({ path: place, message: 'is no identifier' });
    if (length > MAX_BLOCKED)
      issues.push({ path: place, message: `has more than ${String(MAX_BLOCKED)} items` });
    if (length > 0) texts.set(path, text);
  }
  return { texts, issues };
};

/** @throws Refusal PropertyNotExist, TypeNotAllowed, naming each. */
const checkProperties = (schema: Schema, identifiers: readonly string[]): void => {
  const found = identifiers.map((path, index) => ({
    path: at(index),
    name: path,
    type: resolvePath(schema, path)?.type,
  }));
  const missing = found.filter(({ type }) => type === undefined);
  if (missing.length > 0)
    throw new Refusal('PropertyNotExist', {
      details: missing.map(({ path, name }) => ({
        path,
        message: `${name}: is no property of the schema of profiles`,
      })),
    });
  const unfit = found.filter(({ type }) => type !== undefined && !isIdentifying(type));
  if (unfit.length > 0)
    throw new Refusal('TypeNotAllowed', {
      details: unfit.map(({ path, name, type }) => ({
        path,
        message: `${name}: a property of kind ${type?.kind ?? ''} cannot be an identifier`,
      })),
    });
};

const entriesOf = (
  identifiers: readonly string[],
  sealedOf: (path: string) => Sealed | undefined,
): Readonly<Record<string, Sealed>> =>
  Object.fromEntries(
    identifiers.flatMap((path) => {
      const sealed = sealedOf(path);
      return sealed === undefined ? [] : [[path, sealed]];
    }),
  );

/** The present sealed text where it says the same, so that nothing changes. */
const sealedAs = (
  seals: Seals,
  { id }: WarehouseState,
  present: Sealed | undefined,
  text: string,
): Sealed =>
  present !== undefined && seals.open(present, id) === text ? present : seals.seal(text, id);

/**
 * The settings that a client wants. What it does not give stays; blocked values of what is no identifier any more go.
 *
 * @throws Refusal BadRequest, PropertyNotExist, TypeNotAllowed
 */
export const wantedSettings = (
  seals: Seals,
  warehouse: WarehouseState,
  wanted: SetResolutionSettings,
): ResolutionSettings => {
  const present = resolutionSettingsOf(warehouse);
  const { runOnBatchImport, identifiers, eventDelay = present.eventDelay } = wanted;
  const { texts, issues } = openedLists(seals, warehouse, wanted);
  const details = [...identifierIssues(identifiers), ...issues];
  if (details.length > 0) throw new Refusal('BadRequest', { details });
  checkProperties(profilesOf(warehouse).schema, identifiers);
  const before = (path: string): Sealed | undefined =>
    Object.hasOwn(present.blockedValues, path) ? present.blockedValues[path] : undefined;
  const given = (path: string): Sealed | undefined => {
    const text = texts.get(path);
    return text === undefined ? undefined : sealedAs(seals, warehouse, before(path), text);
  };
  const blockedValues = entriesOf(identifiers, wanted.blockedValues === undefined ? before : given);
  return { runOnBatchImport, eventDelay, identifiers, blockedValues };
};
