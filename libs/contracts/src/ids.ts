declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** Opaque, 12 to 26 URL-safe characters, time-sortable. */
export type OrganizationId = Branded<string, 'OrganizationId'>;
/** Names a workspace. Ids of what is configured sort by the time at which they were made. */
export type WorkspaceId = Branded<string, 'WorkspaceId'>;
/** Names a connection, over all workspaces. */
export type ConnectionId = Branded<string, 'ConnectionId'>;
/** Names a pipeline in all of its versions. */
export type PipelineId = Branded<string, 'PipelineId'>;
/** Names a run of a pipeline. */
export type RunId = Branded<string, 'RunId'>;
/** Names the erasure of a person. */
export type ErasureId = Branded<string, 'ErasureId'>;
/** Names a resolution of the identities of a workspace. */
export type ResolutionId = Branded<string, 'ResolutionId'>;
/** Names a job that routers work on, such as a redrive. */
export type JobId = Branded<string, 'JobId'>;
/** Names an alert. */
export type AlertId = Branded<string, 'AlertId'>;
/** Names a notification of an alert. */
export type NotificationId = Branded<string, 'NotificationId'>;
/** A keyed hash of a user's id. */
export type SuppressionId = Branded<string, 'SuppressionId'>;
/** Names an API key; it is not the key. */
export type ApiKeyId = Branded<string, 'ApiKeyId'>;

/** A moment as RFC 3339 in UTC with milliseconds, e.g. `2026-03-01T09:30:00.000Z`. Stored and sent as is. */
export type Instant = Branded<string, 'Instant'>;

/** The moment as it is stored and sent. */
export const instant = (date: Date): Instant => date.toISOString() as Instant;

/** What an HTTP path may call an id; anything else cannot exist. */
export const isIdForm = (text: string): boolean => /^[A-Za-z0-9_-]{12,26}$/.test(text);

/** Closes a `switch` over a union: a case added later is a compile error here. */
export const unreachable = (value: never): never => {
  throw new TypeError(`unexpected case: ${JSON.stringify(value)}`);
};
