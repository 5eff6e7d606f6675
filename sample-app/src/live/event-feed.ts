import { Injectable } from '@nestjs/common';
import { LockService, type LockEvent } from 'nestjs-locked';
import { Observable, ReplaySubject } from 'rxjs';

const REMEMBERED = 60;

/** The lock events of this process, with the last ones for who comes late. */
@Injectable()
export class EventFeed {
  private readonly events = new ReplaySubject<LockEvent>(REMEMBERED);

  constructor(locks: LockService) {
    locks.events$.subscribe(this.events);
  }

  get events$(): Observable<LockEvent> {
    return this.events;
  }
}
