import type { Begun, Nothing } from '@penstock/contracts';
import { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';

/** Source: rulings on safe retries. */
const KEPT_HOURS = 24;
/** Longer than a gateway takes for a request: a holder that has not ended it by then has died. */
const HELD_SECONDS = 60;

const FORGET = `DELETE FROM penstock.retries WHERE begun_at <= now() - make_interval(hours => $1)`;

/** Returns a row for a new request, for one whose holder has died, and for a repeated message of its holder. */
const BEGIN = `
  INSERT INTO penstock.retries AS known (key, digest, command_id, holder, held_until)
  VALUES ($1, $2, $3, $3, now() + make_interval(secs => $4))
  ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
    WHERE known.answer IS NULL AND known.digest = excluded.digest
      AND (known.held_until <= now() OR known.holder = excluded.holder)
  RETURNING command_id AS "commandId"`;

const END = `
  UPDATE penstock.retries SET answer = $3, held_until = now()
  WHERE key = $1 AND holder = $2 AND answer IS NULL`;

/**
 * Remembers requests with an Idempotency-Key: one gateway handles each at a time, and repetitions within a day get the
 * same answer. A gateway that takes a request over uses the command id of its predecessor, so that recorded commands
 * are not done again.
 */
@Controller()
export class Retries {
  constructor(private readonly db: EntityManager) {}

  @Handles('BeginRequest')
  async begin(
    @Payload() { in: { key, digest, holder } }: RequestFor<'BeginRequest'>,
  ): Promise<Begun> {
    await this.db.query(`${FORGET} AND key = $2`, [KEPT_HOURS, key]);
    const [first] = await this.db.query<{ commandId: string }[]>(BEGIN, [
      key,
      digest,
      holder,
      HELD_SECONDS,
    ]);
    if (first !== undefined) return { is: 'first', commandId: first.commandId };
    const [known] = await this.db.query<{ digest: string; answer: string | null }[]>(
      'SELECT digest, answer FROM penstock.retries WHERE key = $1',
      [key],
    );
    if (known !== undefined && known.digest !== digest) return { is: 'another' };
    const answer = known?.answer ?? null;
    return answer === null ? { is: 'underWay' } : { is: 'answered', answer };
  }

  @Handles('EndRequest')
  async end(
    @Payload() { in: { key, holder, answer } }: RequestFor<'EndRequest'>,
  ): Promise<Nothing> {
    await this.db.query(END, [key, holder, answer]);
    return {};
  }
}

/** Deletes all requests of more than a day ago. */
export const forgetOldRequests = async (db: EntityManager): Promise<void> => {
  await db.query(FORGET, [KEPT_HOURS]);
};
