import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Lets the errors of message handlers reach {@link LogServer}, which knows what to tell and what to redeliver.
 *
 * Nest's own filter makes "Internal server error" of every error before a transport sees it: an application on
 * the log uses this one globally.
 */
@Catch()
export class PassErrorsOn implements RpcExceptionFilter<unknown> {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
