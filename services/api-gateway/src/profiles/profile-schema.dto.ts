import { type ChangeProfileSchema, Refusal } from '@penstock/contracts';
import { type Json, type JsonObject, pointer, writeJson } from '@penstock/schema';
import { EXAMPLE_ID } from '../openapi/components/answer';
import { Example } from '../openapi/schema/members';
import { AnObject, OptionalOrNull } from '../validation/shape';

const EMAIL = { name: 'email', type: { kind: 'string' }, readOptional: true, description: '' };
const SCHEMA = { kind: 'object', properties: [EMAIL] };

const RE_PATHS = {
  type: 'object',
  additionalProperties: { type: ['string', 'null'] },
  description:
    'New path → the path that the property had, or null for a fresh property under an old name.',
} as const;

const PRIMARY_SOURCES = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description:
    'Path of a property → the source whose value profiles prefer. What is omitted has none.',
} as const;

@Example({ schema: SCHEMA, rePaths: { email: 'mail' } })
export class PreviewProfileSchemaDto {
  @AnObject('Schema') readonly schema!: JsonObject;

  @OptionalOrNull() @AnObject(RE_PATHS) readonly rePaths?: JsonObject | null;
}

@Example({ schema: SCHEMA, primarySources: { email: EXAMPLE_ID }, rePaths: { email: 'mail' } })
export class ChangeProfileSchemaDto extends PreviewProfileSchemaDto {
  @OptionalOrNull() @AnObject(PRIMARY_SOURCES) readonly primarySources?: JsonObject | null;
}

const isText = (value: Json): value is string => typeof value === 'string';
const isTextOrNull = (value: Json): value is string | null => value === null || isText(value);

/** @throws Refusal BadRequest naming each member that is something else. */
const recordOf = <Value extends Json>(
  member: string,
  given: JsonObject | null | undefined,
  isValue: (value: Json) => value is Value,
  expected: string,
): Readonly<Record<string, Value>> => {
  const entries = [...(given ?? [])];
  const details = entries
    .filter(([, value]) => !isValue(value))
    .map(([name]) => ({ path: pointer(member, name), message: `must be ${expected}` }));
  if (details.length > 0) throw new Refusal('BadRequest', { details });
  return Object.fromEntries(entries) as Record<string, Value>;
};

/** Converts a body for the preview of a change: the pipeline service checks the schema. */
export const previewOf = ({ schema, rePaths }: PreviewProfileSchemaDto) => ({
  schema: writeJson(schema),
  rePaths: recordOf('rePaths', rePaths, isTextOrNull, 'a string or null'),
});

/** Converts a body for the change. */
export const changeOf = ({
  primarySources,
  ...preview
}: ChangeProfileSchemaDto): ChangeProfileSchema => ({
  ...previewOf(preview),
  primarySources: recordOf('primarySources', primarySources, isText, 'a string'),
});
