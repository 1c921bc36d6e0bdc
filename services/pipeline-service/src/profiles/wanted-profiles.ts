import {
  type ChangeProfileSchema,
  profilesOf,
  Refusal,
  type RePathsRecord,
  type WarehouseState,
} from '@penstock/contracts';
import {
  isPropertyPath,
  type Issue,
  parseJson,
  pointer,
  printType,
  readSchema,
  resolvePath,
  type Schema,
} from '@penstock/schema';
import {
  checkProfileSchema,
  type ProfilesDifference,
  profilesDifference,
} from '@penstock/warehouses';

type Input = Pick<ChangeProfileSchema, 'schema' | 'rePaths'>;

const pathIssues = (rePaths: RePathsRecord): readonly Issue[] =>
  Object.entries(rePaths)
    .filter(([path, from]) => ![path, from ?? path].every(isPropertyPath))
    .map(([path, from]) => ({
      path: pointer('rePaths', path),
      message: `${isPropertyPath(path) ? String(from) : path} is not the path of a property`,
    }));

/**
 * Reads the schema of profiles that a client wants.
 *
 * @throws Refusal BadRequest with everything that is wrong with its form.
 */
export const wantedProfiles = ({ schema: text, rePaths }: Input): Schema => {
  const { schema, issues } = readSchema(parseJson(text), { role: 'profile' });
  const found = [...issues, ...(schema === undefined ? [] : checkProfileSchema(schema))];
  const placed = found.map((issue) => ({ ...issue, path: `/schema${issue.path}` }));
  const details = [...placed, ...pathIssues(rePaths)];
  if (details.length > 0) throw new Refusal('BadRequest', { details });
  if (schema === undefined) throw new TypeError('a schema without issues was not read');
  return schema;
};

/** @throws Refusal BadRequest for a path that no value of its own is at. */
export const checkPrimaryPaths = (schema: Schema, paths: readonly string[]): void => {
  const details = paths.flatMap((path) => {
    const kind = resolvePath(schema, path)?.type.kind;
    if (kind !== undefined && kind !== 'object' && kind !== 'array') return [];
    const message =
      kind === undefined
        ? `${path}: is no property of the schema`
        : `${path}: a property of kind ${kind} has no primary source`;
    return [{ path: pointer('primarySources', path), message }];
  });
  if (details.length > 0) throw new Refusal('BadRequest', { details });
};

/** Whether a schema is the present one, to the last description. */
export const isPresent = (schema: Schema, warehouse: WarehouseState): boolean =>
  printType(schema) === printType(profilesOf(warehouse).schema);

/** @throws Refusal InvalidProfileSchema naming each property that cannot be changed like this. */
export const differenceOf = (
  warehouse: WarehouseState,
  schema: Schema,
  rePaths: RePathsRecord,
): ProfilesDifference => {
  const present = profilesOf(warehouse).schema;
  const difference = profilesDifference(present, schema, new Map(Object.entries(rePaths)));
  if ('issues' in difference)
    throw new Refusal('InvalidProfileSchema', { details: difference.issues });
  return difference;
};
