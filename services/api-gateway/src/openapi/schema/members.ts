import type { Type } from '@nestjs/common';
import { closedObject, type JsonSchema, orNull } from './json-schema';

/** What the decorators of one member of a body say together. */
interface Member {
  readonly schema?: JsonSchema;
  readonly isOptional?: boolean;
  readonly isNullable?: boolean;
}

type Members = ReadonlyMap<string, Member>;

const MEMBERS = 'penstock:members';
const EXAMPLE = 'penstock:example';

/** Adds to the description of a member of a class; the order of the decorators does not matter. */
export const declareMember = (prototype: object, name: string, member: Member): void => {
  const own = (Reflect.getOwnMetadata(MEMBERS, prototype) ?? new Map()) as Members;
  const members = new Map(own).set(name, { ...own.get(name), ...member });
  Reflect.defineMetadata(MEMBERS, members, prototype);
};

/** A body as somebody might send it, shown by the API's document. */
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

/** The schema of a body, by the same decorators that check it. */
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
