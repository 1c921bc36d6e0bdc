import { parseJson, parseSchema, resolvePath, type Schema, type Type } from '@penstock/schema';
import type { ResolutionSettings } from './resolution.facts';
import type { WarehouseState } from './state';
import type { RePathsRecord, StartedProfileChange } from './warehouse.facts';

/** How the identities of a new workspace are resolved. */
const FIRST_RESOLUTION_SETTINGS: ResolutionSettings = {
  runOnBatchImport: true,
  eventDelay: 60,
  identifiers: [],
  blockedValues: {},
};

/** How the identities of a workspace are resolved, by the state of its warehouse. */
export const resolutionSettingsOf = ({
  resolution = FIRST_RESOLUTION_SETTINGS,
}: Pick<WarehouseState, 'resolution'>): ResolutionSettings => resolution;

/** Whether a value of the type can tell who a person is. */
export const isIdentifying = (type: Type): boolean =>
  ['string', 'int', 'uuid', 'ip'].includes(type.kind) ||
  (type.kind === 'decimal' && type.scale === 0);

/** The old path and those of the objects that it is in, the outermost first. */
const prefixesOf = (path: string): readonly string[] => {
  const names = path.split('.');
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
};

/** @returns undefined for a property that is dropped. */
const newPathOf = (path: string, rePaths: RePathsRecord): string | undefined => {
  const renamed = Object.entries(rePaths);
  for (const prefix of prefixesOf(path)) {
    const [to] = renamed.find(([, from]) => from === prefix) ?? [];
    if (to !== undefined && to !== prefix) return to + path.slice(prefix.length);
    if (to === undefined && Object.hasOwn(rePaths, prefix)) return undefined;
  }
  return path;
};

const canIdentify = (schema: Schema, path: string): boolean => {
  const property = resolvePath(schema, path);
  return property !== undefined && isIdentifying(property.type);
};

/**
 * The settings after a change of the schema of profiles: what they name follows its property, and leaves with it, or when
 * it cannot identify any more.
 */
export const followedSettings = (
  { identifiers, blockedValues, ...settings }: ResolutionSettings,
  { schema: text, rePaths }: Pick<StartedProfileChange, 'schema' | 'rePaths'>,
): ResolutionSettings => {
  const schema = parseSchema(parseJson(text));
  const followed = identifiers.flatMap((from) => {
    const to = newPathOf(from, rePaths);
    return to !== undefined && canIdentify(schema, to) ? [{ from, to }] : [];
  });
  return {
    ...settings,
    identifiers: followed.map(({ to }) => to),
    blockedValues: Object.fromEntries(
      followed.flatMap(({ from, to }) => {
        const sealed = blockedValues[from];
        return sealed === undefined ? [] : [[to, sealed]];
      }),
    ),
  };
};
