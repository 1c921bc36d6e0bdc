import type { Commands, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Suppressions } from './suppressions';

/** A command about a user in, its answer out. */
@Controller()
export class SuppressionsController {
  constructor(private readonly suppressions: Suppressions) {}

  @MessagePattern('SuppressUser')
  suppress(@Payload() request: Request<Commands['SuppressUser']['in']>) {
    return this.suppressions.suppress(request);
  }

  @MessagePattern('UnsuppressUser')
  unsuppress(@Payload() request: Request<Commands['UnsuppressUser']['in']>) {
    return this.suppressions.unsuppress(request);
  }
}
