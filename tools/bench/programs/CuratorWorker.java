import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryOneTime;

/** The worker of the benchmark for Curator's locks. README.md describes the protocol. */
public final class CuratorWorker {
    private static final long LONG_HOLD_INTERVAL_NANOS = 100_000_000;
    private static final long LONG_HOLD_MILLIS = 1;
    private static final int FIELDS = 4;
    private static final int PERMITS = 4;

    private final String kind;
    private final CuratorFramework client;
    private final String root;

    private CuratorWorker(String kind, CuratorFramework client, String root) {
        this.kind = kind;
        this.client = client;
        this.root = root;
    }

    public static void main(String[] args) throws Exception {
        int sessionTimeout = Integer.parseInt(args[3]);
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(args[1], sessionTimeout, 15_000, new RetryOneTime(1_000));
        client.start();
        client.blockUntilConnected();
        answer("ready");
        new CuratorWorker(args[0], client, args[2]).serve(new BufferedReader(new InputStreamReader(System.in)));
        // The end of the input: the parent has ended. There is nothing to say goodbye for.
        Runtime.getRuntime().halt(0);
    }

    private void serve(BufferedReader commands) throws Exception {
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("hold")) {
                new Thread(this::holdForever).start();
            } else if (words[0].equals("window")) {
                runWindow(words, commands);
            }
        }
    }

    private void holdForever() {
        try {
            lock(0).acquire();
            answer("granted " + System.nanoTime());
            Thread.sleep(Long.MAX_VALUE);
        } catch (Exception error) {
            fail(error);
        }
    }

    private void runWindow(String[] words, BufferedReader commands) throws Exception {
        int keys = Integer.parseInt(words[1]);
        int waiters = Integer.parseInt(words[2]);
        Window window = new Window(Long.parseLong(words[3]), Integer.parseInt(words[4]));
        List<Waiter> all = new ArrayList<>();
        for (int i = 0; i < Math.max(keys, 1) * waiters; i++) {
            all.add(new Waiter(window, keys == 0 ? null : lock(i % keys), keys == 0 ? 0 : i % keys, this::lock));
        }
        all.forEach(Thread::start);
        answer("prepared");
        commands.readLine(); // go
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = system.getProcessCpuTime();
        long startedAt = window.start();
        for (Waiter waiter : all) {
            waiter.join();
        }
        long endedAt = System.nanoTime();
        long cpuMicros = (system.getProcessCpuTime() - cpu) / 1_000;
        write(Path.of(words[5]), all);
        answer("done {\"startedAt\":" + startedAt + ",\"endedAt\":" + endedAt + ",\"cpuMicros\":" + cpuMicros + "}");
    }

    private Lock lock(long key) {
        String path = root + "/key-" + key;
        return switch (kind) {
            case "read" -> new MutexLock(new InterProcessReadWriteLock(client, path).readLock());
            case "write" -> new MutexLock(new InterProcessReadWriteLock(client, path).writeLock());
            case "several" -> new MutexLock(new InterProcessMultiLock(client, List.of(path, path + "-b")));
            case "semaphore" -> new SemaphoreLock(new InterProcessSemaphoreV2(client, path, PERMITS));
            default -> new MutexLock(new InterProcessMutex(client, path));
        };
    }

    private static void write(Path file, List<Waiter> waiters) throws IOException {
        int length = waiters.stream().mapToInt(waiter -> waiter.length).sum();
        ByteBuffer bytes = ByteBuffer.allocate(length * Double.BYTES).order(ByteOrder.nativeOrder());
        for (Waiter waiter : waiters) {
            bytes.asDoubleBuffer().put(waiter.log, 0, waiter.length);
            bytes.position(bytes.position() + waiter.length * Double.BYTES);
        }
        Files.write(file, bytes.array());
    }

    /** The sign tells answers from other output. */
    private static synchronized void answer(String words) {
        System.out.println("@" + words);
    }

    private static void fail(Exception error) {
        error.printStackTrace();
        Runtime.getRuntime().halt(1);
    }

    /** The limits that the waiters share. */
    private static final class Window {
        final int turns;
        private final long milliseconds;
        private final CountDownLatch go = new CountDownLatch(1);
        private final AtomicLong nextLongHold = new AtomicLong();
        private long deadline = Long.MAX_VALUE;

        Window(long milliseconds, int turns) {
            this.milliseconds = milliseconds;
            this.turns = turns;
        }

        long start() {
            long now = System.nanoTime();
            if (milliseconds > 0) {
                deadline = now + milliseconds * 1_000_000;
            }
            nextLongHold.set(now);
            go.countDown();
            return now;
        }

        void awaitStart() throws InterruptedException {
            go.await();
        }

        boolean isOver() {
            return System.nanoTime() >= deadline;
        }

        /** Whether this hold must last longer, so that the checker can see other holders. */
        boolean isLongHold(long now) {
            long due = nextLongHold.get();
            return now >= due && nextLongHold.compareAndSet(due, now + LONG_HOLD_INTERVAL_NANOS);
        }
    }

    /** A lock of one waiter. */
    private interface Lock {
        void acquire() throws Exception;

        void release() throws Exception;
    }

    private static final class MutexLock implements Lock {
        private final InterProcessLock mutex;

        MutexLock(InterProcessLock mutex) {
            this.mutex = mutex;
        }

        @Override
        public void acquire() throws Exception {
            mutex.acquire();
        }

        @Override
        public void release() throws Exception {
            mutex.release();
        }
    }

    private static final class SemaphoreLock implements Lock {
        private final InterProcessSemaphoreV2 semaphore;
        private Lease lease;

        SemaphoreLock(InterProcessSemaphoreV2 semaphore) {
            this.semaphore = semaphore;
        }

        @Override
        public void acquire() throws Exception {
            lease = semaphore.acquire();
        }

        @Override
        public void release() {
            semaphore.returnLease(lease);
        }
    }

    /** Takes turns, and logs key, request, grant and release of each. */
    private static final class Waiter extends Thread {
        private final Window window;
        /** Null: each turn has a new one. */
        private final Lock known;
        private final long key;
        private final LongFunction<Lock> locks;
        private double[] log = new double[FIELDS];
        private int length;

        Waiter(Window window, Lock known, long key, LongFunction<Lock> locks) {
            this.window = window;
            this.known = known;
            this.key = key;
            this.locks = locks;
        }

        @Override
        public void run() {
            try {
                window.awaitStart();
                for (int turn = 1; ; turn++) {
                    takeTurn();
                    if (turn == window.turns || window.isOver()) {
                        return;
                    }
                }
            } catch (Exception error) {
                fail(error);
            }
        }

        private void takeTurn() throws Exception {
            long requested = System.nanoTime();
            // No other turn has that time.
            Lock lock = known == null ? locks.apply(requested) : known;
            lock.acquire();
            try {
                long acquired = System.nanoTime();
                if (window.isLongHold(acquired)) {
                    Thread.sleep(LONG_HOLD_MILLIS);
                }
                add(known == null ? requested : key, requested, acquired, System.nanoTime());
            } finally {
                lock.release();
            }
        }

        private void add(double... grant) {
            if (length == log.length) {
                log = Arrays.copyOf(log, 2 * length);
            }
            System.arraycopy(grant, 0, log, length, FIELDS);
            length += FIELDS;
        }
    }
}
