import type { BeginRequest, Begun, EndRequest, Nothing, Request } from '@penstock/contracts';
import { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';

/** Source: rulings on safe retries. */
const KEPT_HOURS = 24;
/** Longer than a gateway takes over a request: who has not ended it by then is gone. */
const HELD_SECONDS = 60;

const FORGET = `DELETE FROM penstock.retries WHERE begun_at <= now() - make_interval(hours => $1)`;

/** A request that nobody knows, one that nobody handles any more, or the same holder's message once more. */
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
 * Requests with an Idempotency-Key: each is handled once at a time, and once it was answered it is answered the same
 * for a day. Whoever takes over from one that is gone uses its command ids, so that what it had recorded is not done
 * again.
 */
@Injectable()
export class Retries {
  constructor(private readonly db: EntityManager) {}

  async begin({ in: { key, digest, holder } }: Request<BeginRequest>): Promise<Begun> {
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

  async end({ in: { key, holder, answer } }: Request<EndRequest>): Promise<Nothing> {
    await this.db.query(END, [key, holder, answer]);
    return {};
  }

  async forgetOld(): Promise<void> {
    await this.db.query(FORGET, [KEPT_HOURS]);
  }
}
