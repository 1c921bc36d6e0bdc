/**
 * Why a database cannot be read, or rows cannot be merged into it:
 *
 * - `Unreachable`: there is no answer, or none in time, or none that such a server gives, or one that is too large, or
 *   the connection was lost; the same may succeed later.
 * - `Refused`: the server does not let the user in, or has no such database or schema; or the operator does not allow its
 *   address.
 * - `InvalidQuery`: the server refuses the query, or it gives no rows that can be read.
 * - `InvalidPlaceholder`: the query holds a placeholder that there is not, or where none can stand.
 * - `TableNotExist`: there is no table of the name.
 * - `InvalidSettings`: rows cannot be merged into the table by the key, or not with these columns.
 */
export type DatabaseFaultKind =
  | 'Unreachable'
  | 'Refused'
  | 'InvalidQuery'
  | 'InvalidPlaceholder'
  | 'TableNotExist'
  | 'InvalidSettings';

/** A database cannot be read at all, or not any further. The message is for people and holds no password. */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
  constructor(
    readonly kind: DatabaseFaultKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
