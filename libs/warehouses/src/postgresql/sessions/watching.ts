import { type Client, DatabaseError } from 'pg';

/**
 * A statement ends soon after its connection, also while it waits for a lock: what was given up is not written later.
 * PostgreSQL 13 cannot do that, nor can later ones on some systems.
 */
const WATCHING = 'client_connection_check_interval';
const WATCHING_MS = 200;

/** Settings of a server's session by their names. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Lets a session watch its connection.
 *
 * @returns the setting that does it; nothing where the server does not know the setting, or cannot do that.
 */
export const watchingIf = async (client: Client): Promise<SessionSettings> => {
  try {
    await client.query(`SET ${WATCHING} = ${String(WATCHING_MS)}`);
  } catch (error) {
    if (error instanceof DatabaseError) return {};
    throw error;
  }
  return { [WATCHING]: String(WATCHING_MS) };
};
