import type { Type } from '@nestjs/common';
import { closedObject, type JsonSchema, orNull } from './json-schema';

/** Combined description of one member of a body, from all of its decorators. */
interface Member {
  readonly schema?: JsonSchema;
  readonly isOptional?: boolean;
  readonly isNullable?: boolean;
}

type Members = ReadonlyMap<string, Member>;

const MEMBERS = 'penstock:members';
const EXAMPLE = 'penstock:example';

/** Adds to the description of a member of a class, independent of the order of decorators. */
export const declareMember = (prototype: object, name: string, member: Member): void => {
  const own = (Reflect.getOwnMetadata(MEMBERS, prototype) ?? new Map()) as Members;
  const members = new Map(own).set(name, { ...own.get(name), ...member });
  Reflect.defineMetadata(MEMBERS, members, prototype);
};

/** Sets an example of the body for the API's document. */
export const Example =
  (body: JsonSchema): ClassDecorator =>
  (shape) => {
    Reflect.defineMetadata(EXAMPLE, body, shape);
  };

const membersOf = (prototype: object | null): Members =>
  prototype === null
    ? new Map()
    : new Map([
        ...membersOf(Object.getPrototypeOf(prototype) as object | null),
        ...((Reflect.getOwnMetadata(MEMBERS, prototype) ?? new Map()) as Members),
      ]);

/** Builds the schema of a body from the decorators that check it. */
export const schemaOf = (shape: Type<object>): JsonSchema => {
  const members = [...membersOf(shape.prototype as object)];
  const schemas = (isOptional: boolean): Record<string, JsonSchema> =>
    Object.fromEntries(
      members
        .filter(([, member]) => (member.isOptional ?? false) === isOptional)
        .map(([name, { schema = {}, isNullable }]) => [name, isNullable ? orNull(schema) : schema]),
    );
  const example = Reflect.getOwnMetadata(EXAMPLE, shape) as JsonSchema | undefined;
  return {
    ...closedObject(schemas(false), schemas(true)),
    ...(example !== undefined && { examples: [example] }),
  };
};
