import { everyProperty, type PlacedProperty } from './every-property';
import type { Issue } from './issue';
import type { Schema } from './type';

/** The place that a schema has in a pipeline. */
export type SchemaRole =
  /** Output of an import, input of an export. */
  | { readonly role: 'profile' }
  /** Input from an application, a file or events. */
  | { readonly role: 'source' }
  | { readonly role: 'sourceDatabase' }
  /** Output to an application. */
  | { readonly role: 'eventDestination' }
  /** @param matching path of the property by which users of the application are found. */
  | { readonly role: 'userDestination'; readonly matching: string }
  /** @param tableKey path of the property by which rows are found. */
  | { readonly role: 'databaseDestination'; readonly tableKey: string };

const FLAGS = ['createRequired', 'updateRequired', 'readOptional', 'nullable'] as const;

type Demand = 'must' | 'may' | 'must not';

/** What each of {@link FLAGS} must be, in their order. */
type Demands = readonly [Demand, Demand, Demand, Demand];

/**
 * The flags that a pipeline's own schema carries against the rules of its role, at every depth, with a
 * `prefilled` expression, which stands only in what a connector offers.
 *
 * @returns an issue at each offending key; empty when there is none.
 */
export const checkRoleFlags = (schema: Schema, role: SchemaRole): Issue[] =>
  [...everyProperty(schema)].flatMap((placed) => [
    ...flagIssues(placed, demands(role, placed.path)),
    ...prefilledIssues(placed),
  ]);

const demands = (role: SchemaRole, path: string): Demands => {
  switch (role.role) {
    case 'profile':
      return ['must not', 'must not', 'must', 'must not'];
    case 'source':
      return ['must not', 'must not', 'may', 'may'];
    case 'sourceDatabase':
      return ['must not', 'must not', 'must not', 'may'];
    case 'eventDestination':
      return ['may', 'must not', 'must not', 'may'];
    case 'userDestination': {
      const leadsToMatching = `${role.matching}.`.startsWith(`${path}.`);
      return ['may', 'may', leadsToMatching ? 'may' : 'must not', 'may'];
    }
    case 'databaseDestination':
      return path === role.tableKey
        ? ['must', 'must not', 'must not', 'must not']
        : ['must not', 'must not', 'must not', 'may'];
  }
};

const flagIssues = ({ property, path, pointer }: PlacedProperty, demanded: Demands): Issue[] =>
  FLAGS.flatMap((flag, index) => {
    const demand = demanded[index];
    if (demand === 'may' || property[flag] === (demand === 'must')) return [];
    return [{ path: `${pointer}/${flag}`, message: `${path}: ${demand} be ${flag} here` }];
  });

const prefilledIssues = ({ property, path, pointer }: PlacedProperty): Issue[] =>
  property.prefilled === ''
    ? []
    : [{ path: `${pointer}/prefilled`, message: `${path}: must not be prefilled here` }];
