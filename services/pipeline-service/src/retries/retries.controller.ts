import type { Request, SafeRetries } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Retries } from './retries';

/** What gateways remember together. */
@Controller()
export class RetriesController {
  constructor(private readonly retries: Retries) {}

  @MessagePattern('BeginRequest')
  begin(@Payload() request: Request<SafeRetries['BeginRequest']['in']>) {
    return this.retries.begin(request);
  }

  @MessagePattern('EndRequest')
  end(@Payload() request: Request<SafeRetries['EndRequest']['in']>) {
    return this.retries.end(request);
  }
}
