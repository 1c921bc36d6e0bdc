import { malformed } from '../http/read-json';
import type { QueryParameters } from './page';

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Reads the names of the properties that are wanted: separated by commas, or the parameter repeated.
 *
 * @returns `null` when it is absent or empty: all.
 * @throws Refusal BadRequest for an empty name.
 */
export const propertiesParameter = (query: QueryParameters): readonly string[] | null => {
  const given: unknown = query['properties'] ?? '';
  const texts = Array.isArray(given) ? given : [given];
  if (!texts.every(isText)) throw malformed('/properties', 'must be names of properties');
  if (texts.every((text) => text === '')) return null;
  const names = texts.flatMap((text) => text.split(','));
  if (names.includes(''))
    throw malformed('/properties', 'must not name a property of no characters');
  return [...new Set(names)];
};
