import type { EventType } from '@penstock/connectors';
import { type ConnectionState, type CreatePipeline as Input, Refusal } from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import type { Definition } from './check-definition';
import { checkedDefinition } from './checked-definition';
import type { CompileFunction } from './compile-function';
import { PipelineConnections } from './pipeline-connections';
import { readTransformation } from './read-transformation';

/** A pipeline that may be created, as far as its own members decide that. */
export interface CheckedPipeline {
  readonly connection: ConnectionState;
  /** Id of the event type. */
  readonly eventType: string;
  /** In canonical form. */
  readonly definition: Omit<Definition, 'schema'>;
}

/** The checks of a new pipeline, and of a draft that takes the place of one. */
@Injectable()
export class NewPipelineChecks {
  constructor(private readonly connections: PipelineConnections) {}

  /**
   * @throws Refusal BadRequest, ConnectionNotExist, ConnectorNotExist, EventTypeNotExist, UnsupportedLanguage,
   *   SchemaNotAligned, TransformationFailed, ServiceUnavailable
   */
  async check(
    reading: Reading<EntityManager>,
    input: Omit<Input, 'id'>,
    workspace: string,
    compile: CompileFunction,
  ): Promise<CheckedPipeline> {
    const submitted = readTransformation(input.transformation);
    const connection = await this.connections.find(reading, input.connection, workspace);
    if (connection === undefined) throw new Refusal('ConnectionNotExist', { kind: 'refused' });
    const eventTypes = await this.connections.eventTypes(reading, connection);
    const eventType = eventTypeOf(input, eventTypes);
    const definition = await checkedDefinition(input, submitted, eventType, compile);
    return { connection, eventType: eventType.id, definition };
  }
}

/**
 * Checks the members that pipelines on events have.
 *
 * @param eventTypes of the connection; undefined where it does not accept events.
 * @throws Refusal BadRequest, EventTypeNotExist
 */
const eventTypeOf = (
  { target, eventType }: Omit<Input, 'id'>,
  eventTypes: readonly EventType[] | undefined,
): EventType => {
  if (target !== 'Event' || eventTypes === undefined) {
    const message = `the connection does not have pipelines with target ${target}`;
    throw new Refusal('BadRequest', { details: [{ path: '/target', message }] });
  }
  if (eventType === null) {
    const message = 'is required for a pipeline on events';
    throw new Refusal('BadRequest', { details: [{ path: '/eventType', message }] });
  }
  const found = eventTypes.find(({ id }) => id === eventType);
  if (found !== undefined) return found;
  throw new Refusal('EventTypeNotExist', {
    kind: 'refused',
    message: 'connection does not have event type',
  });
};
