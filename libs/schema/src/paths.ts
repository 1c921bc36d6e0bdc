import type { Property, Schema } from './type';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/** `[A-Za-z_][A-Za-z0-9_]*` */
export const isPropertyName = (text: string): boolean => NAME.test(text);

/** Property names joined by dots. */
export const isPropertyPath = (text: string): boolean => PATH.test(text);

/** The property at a dotted path, which goes through objects only; undefined when there is none. */
export const resolvePath = (schema: Schema, path: string): Property | undefined => {
  const [first, ...rest] = path.split('.');
  const property = schema.properties.find(({ name }) => name === first);
  if (!property || rest.length === 0) return property;
  return property.type.kind === 'object' ? resolvePath(property.type, rest.join('.')) : undefined;
};
