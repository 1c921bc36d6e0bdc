import type { PipelineId, RedriveWanted } from '@penstock/contracts';
import type { RedriveRequest } from '../store/redrive-request';
import { deliveryPlace } from './delivery-id';

/** Tells how the destination of a pipeline orders deliveries now. */
export abstract class Orderings {
  abstract of(pipeline: PipelineId): RedriveRequest['ordering'];
}

/** What a redrive of the pipeline chooses. Ids of other deliveries are left out. */
export const redriveRequestOf = (
  pipeline: PipelineId,
  { ids, ...wanted }: RedriveWanted,
  orderings: Orderings,
): RedriveRequest => ({
  ...wanted,
  ...(ids !== undefined && {
    deliveries: ids.flatMap((id) => {
      const place = deliveryPlace(id);
      return place?.pipeline === pipeline ? [place] : [];
    }),
  }),
  ordering: orderings.of(pipeline),
});
