import type { ConnectionState, ConnectionStateAt, Queries, Request } from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Injectable } from '@nestjs/common';
import { connectionStream } from '../domain/connection.decide';
import { fitting } from '../read-model/fitting';

/** Of one answer. */
const MAX_STATES = 1_000;

type Query = Queries['ConnectionStates'];

const withoutSecrets = ({
  settings: _settings,
  writeKeys: _writeKeys,
  ...state
}: ConnectionState): ConnectionStateAt['state'] => state;

/** What connections were: answered from the facts themselves, so that nothing is ever too old. */
@Injectable()
export class ConnectionHistories {
  constructor(private readonly history: FactHistory) {}

  async states({ in: { connection, from, to } }: Request<Query['in']>): Promise<Query['out']> {
    const stream = connectionStream(connection);
    const found = await this.history.statesOf(stream, { from, to, limit: MAX_STATES + 1 });
    const states = found.map(({ position, state }) => ({
      position,
      state: withoutSecrets(state as ConnectionState),
    }));
    const { items, rest } = fitting(states.slice(0, MAX_STATES));
    const next = rest ?? states[MAX_STATES];
    return { states: items, next: next?.position ?? null };
  }
}
