import type { ConfigurationState } from '@penstock/contracts';
import type { ObjectLiteral } from 'typeorm';

type Kind = ConfigurationState['kind'];
type StateOf<Own extends Kind> = Extract<ConfigurationState, { readonly kind: Own }>;

/**
 * A table that is a function of the newest states, which commands are checked against. The same function writes it with
 * every change and rebuilds it for the audit.
 */
export interface View {
  /** The kind of objects that have rows in it. */
  readonly kind: Kind;
  readonly row: new () => ObjectLiteral;
  /** The column with the id of the object of a row. */
  readonly object: string;
  /** The rows of one object of this kind. */
  readonly rowsOf: (state: ConfigurationState) => readonly ObjectLiteral[];
}

/** A {@link View} over objects of one kind. */
export const viewOf = <Own extends Kind, Row extends ObjectLiteral>(view: {
  readonly kind: Own;
  readonly row: new () => Row;
  readonly object: keyof Row & string;
  readonly rowsOf: (state: StateOf<Own>) => readonly Row[];
}): View => ({ ...view, rowsOf: (state) => view.rowsOf(state as StateOf<Own>) });
