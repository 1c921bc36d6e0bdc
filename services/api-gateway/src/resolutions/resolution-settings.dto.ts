import { Refusal, type Sealed } from '@penstock/contracts';
import { type Json, type JsonNumber, type JsonObject, pointer } from '@penstock/schema';
import { Example } from '../openapi/schema/members';
import {
  AnObject,
  IsBoolean,
  IsInteger,
  isCleanText,
  Optional,
  OptionalOrNull,
  Texts,
} from '../validation/shape';

const MAX_DELAY_SECONDS = 86_400;

export const BLOCKED_VALUES = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' }, maxItems: 1_000 },
  description:
    'Identifier → values that count as none, in any form of its type: values are compared by their canonical form.',
} as const;

export const EXAMPLE_SETTINGS = {
  runOnBatchImport: true,
  eventDelay: 60,
  identifiers: ['email'],
  blockedValues: { email: ['nobody@example.com'] },
};

@Example(EXAMPLE_SETTINGS)
export class SetResolutionSettingsDto {
  @IsBoolean() readonly runOnBatchImport!: boolean;

  @Texts() readonly identifiers!: readonly string[];

  @OptionalOrNull() @IsInteger(0, MAX_DELAY_SECONDS) readonly eventDelay?: JsonNumber | null;

  @Optional() @AnObject(BLOCKED_VALUES) readonly blockedValues?: JsonObject;
}

const areTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every(isCleanText);

/**
 * Seals each list of blocked values: they are values of users.
 *
 * @throws Refusal BadRequest naming each member that is no list of strings that the API takes.
 */
export const sealedLists = (
  lists: JsonObject,
  seal: (plain: string) => Sealed,
): Readonly<Record<string, Sealed>> => {
  const entries = [...lists];
  const details = entries
    .filter(([, values]) => !areTexts(values))
    .map(([path]) => ({
      path: pointer('blockedValues', path),
      message: 'must be an array of strings, without NUL',
    }));
  if (details.length > 0) throw new Refusal('BadRequest', { details });
  return Object.fromEntries(entries.map(([path, values]) => [path, seal(JSON.stringify(values))]));
};
