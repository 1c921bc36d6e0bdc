import { destinationView, parseJson, parseSchema, type Schema } from '@penstock/schema';

/** How a property of users can be written. */
export interface WrittenField {
  readonly createRequired?: true;
  readonly updateRequired?: true;
  /** Where null may be read, but takes nothing away. */
  readonly nullable?: false;
  /** In the notation of types, where less may be written than is read. */
  readonly type?: object;
}

/** A property of the users of an application. */
export interface UserField {
  readonly name: string;
  /** In the notation of types. */
  readonly type: object;
  readonly description?: string;
  readonly nullable?: true;
  readonly readOptional?: true;
  /** Absent: it can only be read. */
  readonly written?: WrittenField;
}

const schemaOf = (properties: readonly object[]): Schema =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));

const described = ({ name, type, description, nullable }: UserField): object => ({
  name,
  type,
  ...(description !== undefined && { description }),
  ...(nullable && { nullable }),
});

/** The schema of users as they are read. */
export const fieldsToRead = (fields: readonly UserField[]): Schema =>
  schemaOf(
    fields.map((field) => ({
      ...described(field),
      ...(field.readOptional && { readOptional: true }),
    })),
  );

/** The schema of users as they are written: without what can only be read. */
export const fieldsToWrite = (fields: readonly UserField[]): Schema =>
  destinationView(
    schemaOf(
      fields.flatMap((field) =>
        field.written === undefined ? [] : [{ ...described(field), ...field.written }],
      ),
    ),
  );

/** What people of the account have added to the users: it may be missing, and may be null. */
export const ownField = (name: string, type: object, written?: WrittenField): UserField => ({
  name,
  type,
  nullable: true,
  readOptional: true,
  ...(written && { written }),
});

/** Several texts, each under its name, any of which may be missing. */
export const textsOf = (...names: readonly string[]): object => ({
  kind: 'object',
  properties: names.map((name) => ({
    name,
    type: { kind: 'string' },
    nullable: true,
    readOptional: true,
  })),
});
