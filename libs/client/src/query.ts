import { writePlainJson } from './plain-json';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : writePlainJson(value);

/** The query of a URL; a parameter that is an object is sent as JSON. */
export const writeQuery = (query: Readonly<Record<string, unknown>>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, textOf(value)])).toString();
};
