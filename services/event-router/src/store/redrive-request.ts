import type { Instant } from '@penstock/contracts';
import type { BodyKey } from './changes';

/** Which dead letters of a pipeline a redrive chooses; what is absent does not matter. */
export interface RedriveRequest {
  readonly state?: 'Rejected' | 'Parked';
  readonly code?: string;
  /** Their events were received at this time or later. */
  readonly from?: Instant;
  /** Their events were received before this time. */
  readonly to?: Instant;
  /** These deliveries of the pipeline only. */
  readonly deliveries?: readonly BodyKey[];
  /** How the destination orders deliveries when the redrive is created. */
  readonly ordering: 'key' | 'none';
}

/** The request of a job whose kind is `Redrive`. */
export const redriveRequest = (text: string): RedriveRequest => JSON.parse(text) as RedriveRequest;
