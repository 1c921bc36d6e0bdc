import type { JsonString } from '../pipeline.facts';
import { always, query } from './operation';

/** An event that is to be shown as it would be sent; JSON texts as the client wrote them. */
export interface PreviewSendEvent {
  readonly connection: string;
  readonly eventType: string;
  readonly event: JsonString;
  readonly transformation: JsonString | null;
  readonly outSchema: JsonString | null;
}

/** Asks an application for a page of its users. */
export interface ListApplicationUsers {
  readonly connection: string;
  readonly schema: JsonString;
  readonly filter: JsonString | null;
  /** Empty: from the start. */
  readonly cursor: string;
}

/** Looks into the application behind a connection. */
export const APPLICATION_OPERATIONS = {
  GetEventTypeSchema: query<
    { readonly connection: string; readonly eventType: string },
    { readonly schema: JsonString | null }
  >({ refusals: ['ConnectionNotExist', 'EventTypeNotExist'] }),
  /** Answers no destination schema for a source. */
  GetUserSchemas: query<
    { readonly connection: string },
    { readonly source: JsonString; readonly destination: JsonString | null }
  >({ refusals: ['ConnectionNotExist'], isSlow: always }),
  ListApplicationUsers: query<
    ListApplicationUsers,
    { readonly users: readonly JsonString[]; readonly cursor: string }
  >({
    refusals: [
      'ConnectionNotExist',
      {
        code: 'SchemaNotAligned',
        message: "schema is not aligned with the application's source schema",
      },
    ],
    isSlow: always,
    carriesRecords: true,
  }),
  /** The console is what a function wrote to it; empty for a mapping. */
  PreviewSendEvent: query<PreviewSendEvent, { readonly preview: string; readonly console: string }>(
    {
      refusals: [
        'ConnectionNotExist',
        {
          code: 'EventTypeNotExist',
          kind: 'refused',
          message: 'connection does not have the event type',
        },
        'InvalidEvent',
        {
          code: 'SchemaNotAligned',
          message: "output schema is not compatible with the event type's schema",
        },
        'UnsupportedLanguage',
        'TransformationFailed',
      ],
      isSlow: always,
      carriesRecords: true,
    },
  ),
};
