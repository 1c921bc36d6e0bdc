interface Property {
  readonly name: string;
  readonly prefilled?: string;
  readonly type: { readonly properties?: readonly Property[] };
}

export interface Schema {
  readonly properties: readonly Property[];
}

/** The part of a schema for which something is proposed. */
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

/** What is proposed for properties, by their paths. */
const proposals = (properties: readonly Property[], prefix = ''): [string, string][] =>
  properties.flatMap(({ name, prefilled, type }): [string, string][] =>
    prefilled
      ? [[prefix + name, prefilled]]
      : proposals(type.properties ?? [], `${prefix}${name}.`),
  );

/** Of a pipeline that somebody has made of what is proposed for an event type. */
export const proposedTransformation = (schema: Schema | null): object =>
  schema === null
    ? {}
    : {
        transformation: { mapping: Object.fromEntries(proposals(schema.properties)) },
        outSchema: withProposals(schema),
      };
