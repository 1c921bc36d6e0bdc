interface Property {
  readonly name: string;
  readonly prefilled?: string;
  readonly type: { readonly properties?: readonly Property[] };
}

export interface Schema {
  readonly properties: readonly Property[];
}

/** The part of a schema with proposed expressions. */
const withProposals = (schema: Schema): Schema => ({
  ...schema,
  properties: schema.properties
    .filter((property) => proposals([property]).length > 0)
    .map(({ type, ...property }) => {
      const { properties } = type;
      const part = properties === undefined ? type : withProposals({ ...type, properties });
      return { ...property, prefilled: '', type: part };
    }),
});

/** The proposed expressions by path. */
const proposals = (properties: readonly Property[], prefix = ''): [string, string][] =>
  properties.flatMap(({ name, prefilled, type }): [string, string][] =>
    prefilled
      ? [[prefix + name, prefilled]]
      : proposals(type.properties ?? [], `${prefix}${name}.`),
  );

/** The transformation and schema of a pipeline with the proposals for an event type. */
export const proposedTransformation = (schema: Schema | null): object =>
  schema === null
    ? {}
    : {
        transformation: { mapping: Object.fromEntries(proposals(schema.properties)) },
        outSchema: withProposals(schema),
      };
