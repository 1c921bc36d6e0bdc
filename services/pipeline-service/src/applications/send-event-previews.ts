import { EventRefused, type EventType, type OutgoingEvent } from '@penstock/connectors';
import {
  eventCodec,
  idempotencyKey,
  type JsonString,
  type PipelineId,
  type Queries,
  Refusal,
  type RefusalDetail,
  type Request,
} from '@penstock/contracts';
import { compileCodec, Invalid, isJsonObject, parseJson, type RecordValue } from '@penstock/schema';
import { FunctionRunner } from '@penstock/transformations';
import { Injectable } from '@nestjs/common';
import { checkAlignment } from '../pipelines/check-alignment';
import { checkDefinition, type Definition } from '../pipelines/check-definition';
import { readTransformation } from '../pipelines/read-transformation';
import { Applications, type EventApplication } from './applications';
import { transformOnce, type Transformed, type Trial } from './transform-once';
import { trialDetail } from './trial-failure';
import { withAllPaths } from './with-all-paths';
import { withinDeadline } from './within-deadline';

type Preview = Queries['PreviewSendEvent'];

/** The key that is shown is of no pipeline: each has its own. */
const NO_PIPELINE = '' as PipelineId;

/** UTF-16 units that are shown, a console included, of at most eight bytes each in a message of the log, where they stand sealed. */
const MAX_SHOWN = 110_000;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

/** Shows events as they would be sent. */
@Injectable()
export class SendEventPreviews {
  constructor(
    private readonly applications: Applications,
    private readonly functions: FunctionRunner,
  ) {}

  /** @param until fires when nobody waits for the answer any more. */
  async preview(
    { context, in: input }: Request<Preview['in']>,
    until?: AbortSignal,
  ): Promise<Preview['out']> {
    const submitted = readTransformation(withAllPaths(input.transformation, input.outSchema));
    const application = await this.applications.takingEvents(input.connection, context.workspace);
    const eventType = eventTypeOf(application, input.eventType);
    const { outSchema } = input;
    const definition = checkDefinition({ filter: null, outSchema }, submitted);
    const event = eventOf(input.event);
    checkCompatible(definition, eventType);
    const transformed = await withinDeadline(
      (signal) => this.transformed(definition, { event, workspace: context.workspace, signal }),
      until,
    );
    const { values, console } = transformed ?? { values: null, console: '' };
    const outgoing = outgoingEvent(eventType, event, values, definition);
    return { preview: shown(application, outgoing, console), console };
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

/** As for a pipeline, in the words of the preview. */
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

const shown = (
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

/** The application would not take the event with these values. */
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
