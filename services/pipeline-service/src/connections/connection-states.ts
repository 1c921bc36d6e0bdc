import type { ConnectionState, ConnectionStateAt, Queries } from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { connectionStream } from '../domain/connection.decide';
import { fitting } from '../read-model/fitting';

/** The most states in one answer. */
const MAX_STATES = 1_000;

/**
 * Returns the states that a connection had between two positions, from the facts, however old they are. Services query
 * it, not on behalf of a user.
 */
@Controller()
export class ConnectionStates {
  constructor(private readonly history: FactHistory) {}

  @Handles('ConnectionStates')
  async handle(
    @Payload() { in: { connection, from, to } }: RequestFor<'ConnectionStates'>,
  ): Promise<Queries['ConnectionStates']['out']> {
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

const withoutSecrets = ({
  settings: _settings,
  writeKeys: _writeKeys,
  ...state
}: ConnectionState): ConnectionStateAt['state'] => state;
