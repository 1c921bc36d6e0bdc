import { EventRefused, type EventType, type OutgoingEvent } from '@penstock/connectors';
import {
  eventCodec,
  idempotencyKey,
  type JsonString,
  type PipelineId,
  type Queries,
  Refusal,
  type RefusalDetail,
} from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { compileCodec, Invalid, isJsonObject, parseJson, type RecordValue } from '@penstock/schema';
import { FunctionRunner } from '@penstock/transformations';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { checkAlignment } from '../pipelines/check-alignment';
import { checkDefinition, type Definition } from '../pipelines/check-definition';
import { readTransformation } from '../pipelines/read-transformation';
import { Applications, type EventApplication } from './applications';
import { transformOnce, type Transformed, type Trial } from './transform-once';
import { trialDetail } from './trial-failure';
import { withAllPaths } from './with-all-paths';
import { withinDeadline } from '../deadline/within-deadline';

type Preview = Queries['PreviewSendEvent'];

/** Idempotency keys depend on the pipeline; the key in a preview belongs to none. */
const NO_PIPELINE = '' as PipelineId;

/**
 * Limit of preview and console in UTF-16 units. Each takes up to eight bytes in the message of the log, which is
 * sealed.
 */
const MAX_SHOWN = 110_000;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

/** Returns the request with which an event would be sent to an application. */
@Controller()
export class PreviewSendEvent {
  constructor(
    private readonly applications: Applications,
    private readonly functions: FunctionRunner,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('PreviewSendEvent')
  handle(@Payload() request: RequestFor<'PreviewSendEvent'>, @Ctx() received: LogRequestContext) {
    const { workspace } = request.context;
    const { connection, transformation, outSchema, ...input } = request.in;
    return this.slow.handle(request, received, async (until): Promise<Preview['out']> => {
      const submitted = readTransformation(withAllPaths(transformation, outSchema));
      const application = await this.applications.takingEvents(connection, workspace);
      const eventType = eventTypeOf(application, input.eventType);
      const definition = checkDefinition({ filter: null, outSchema }, submitted);
      const event = eventOf(input.event);
      checkCompatible(definition, eventType);
      const transformed = await withinDeadline(
        (signal) => this.transformed(definition, { event, workspace, signal }),
        until,
      );
      const { values, console } = transformed ?? { values: null, console: '' };
      const outgoing = outgoingEvent(eventType, event, values, definition);
      return { preview: previewOf(application, outgoing, console), console };
    });
  }

  private async transformed(
    { transformation, schema }: Definition,
    of: Omit<Trial, 'transformation' | 'output'>,
  ): Promise<Transformed | null> {
    if (transformation === null || schema === null) return null;
    return transformOnce(this.functions, { ...of, transformation, output: schema });
  }
}

const eventTypeOf = ({ destination, settings }: EventApplication, id: string): EventType => {
  const found = destination.eventTypes(settings).find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new Refusal('EventTypeNotExist', {
    kind: 'refused',
    message: 'connection does not have the event type',
  });
};

const eventOf = (text: JsonString): RecordValue => {
  try {
    return eventCodec.parse(text);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const details = error.issues.map(({ path, message }) => ({ path: `/event${path}`, message }));
    throw new Refusal('InvalidEvent', { details });
  }
};

/** Checks the alignment as for a pipeline, with the message of the preview. */
const checkCompatible = ({ transformation, schema }: Definition, eventType: EventType): void => {
  try {
    checkAlignment(schema, eventType.schema, transformation?.function?.outPaths);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const message = "output schema is not compatible with the event type's schema";
    throw new Refusal(error.code, { message, details: error.details });
  }
};

const outgoingEvent = (
  { id }: EventType,
  event: RecordValue,
  values: RecordValue | null,
  { schema }: Definition,
): OutgoingEvent => {
  const [connection, messageId] = [event['connectionId'], event['messageId']] as string[];
  return {
    eventType: id,
    event,
    eventText: eventCodec.encode(event),
    values,
    outSchema: schema,
    idempotencyKey: idempotencyKey(connection ?? '', messageId ?? '', NO_PIPELINE),
    pipeline: NO_PIPELINE,
  };
};

/** The preview of the connector, cut where it is too long. @throws Refusal InvalidEvent */
const previewOf = (
  { destination, settings }: EventApplication,
  event: OutgoingEvent,
  console: string,
): string => {
  try {
    const preview = destination.preview(event, settings);
    const length = MAX_SHOWN - console.length;
    if (preview.length <= length) return preview;
    return `${preview.slice(0, length).replace(HALF_A_CHARACTER, '')}…`;
  } catch (error) {
    if (!(error instanceof EventRefused)) throw error;
    throw new Refusal('InvalidEvent', { details: [refusedDetail(error, event, console)] });
  }
};

/** The detail for an event that the application would not accept with these values. */
const refusedDetail = (
  { message }: EventRefused,
  { values, outSchema }: OutgoingEvent,
  console: string,
): RefusalDetail => {
  if (values === null || outSchema === null) return { path: '/event', message };
  const json = parseJson(compileCodec(outSchema).encode(values));
  const given = isJsonObject(json) ? json : undefined;
  return trialDetail({ step: 'Finalize', at: ['event'], message, values: given, console });
};
