import { pointer } from './issue';
import type { Type } from './type';

/** A step from a value to a part of it: into a property of an object, an element of an array, or the value of a map's key. */
export interface Step {
  readonly into: 'property' | 'element' | 'key';
  readonly name: string;
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const stepInto = (
  type: Type | undefined,
  name: string,
): readonly [into: Step['into'], inside: Type | undefined] => {
  switch (type?.kind) {
    case 'array':
      return ['element', type.elementType];
    case 'map':
      return ['key', type.elementType];
    case 'object':
      return ['property', type.properties.find((each) => each.name === name)?.type];
    default:
      return ['property', undefined];
  }
};

/**
 * The steps from a value of the type to the place of an issue.
 *
 * @param path a JSON pointer, `''` for the value itself.
 */
export const stepsTo = (type: Type, path: string): readonly Step[] => {
  const steps: Step[] = [];
  let at: Type | undefined = type;
  for (const name of path.split('/').slice(1).map(unescaped)) {
    const [into, inside] = stepInto(at, name);
    steps.push({ into, name });
    at = inside;
  }
  return steps;
};

/**
 * The path of an issue with `…` in place of the keys of maps, which may be values of persons.
 *
 * @param type of the value that the path begins at.
 * @param path a JSON pointer.
 */
export const pathWithoutKeys = (type: Type, path: string): string =>
  pointer(...stepsTo(type, path).map(({ into, name }) => (into === 'key' ? '…' : name)));
