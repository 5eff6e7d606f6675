import java.lang.reflect.Method;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.RetryOneTime;

/**
 * Takes and releases Curator's InterProcessMutex, or in turn the two locks of its InterProcessReadWriteLock, a number of
 * times, and prints one line of JSON for each event.
 */
public final class CuratorLocker {
    private CuratorLocker() {}

    public static void main(String[] args) throws Exception {
        String path = args[1];
        int grants = Integer.parseInt(args[2]);
        int holdMs = Integer.parseInt(args[3]);
        boolean shares = args.length > 4 && args[4].equals("read-write");
        try (CuratorFramework client =
                CuratorFrameworkFactory.newClient(args[0], 20_000, 15_000, new RetryOneTime(1_000))) {
            client.start();
            client.blockUntilConnected();
            System.out.println("{\"what\":\"ready\"}");
            System.in.read();
            endWithParent();
            for (int i = 0; i < grants; i++) {
                if (!shares) {
                    hold(client, new InterProcessMutex(client, path), "exclusive", holdMs);
                    continue;
                }
                InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path);
                boolean reads = i % 2 == 0;
                hold(client, reads ? lock.readLock() : lock.writeLock(), reads ? "read" : "write", holdMs);
            }
        }
        System.exit(0);
    }

    private static void hold(CuratorFramework client, InterProcessMutex mutex, String mode, int holdMs)
            throws Exception {
        mutex.acquire();
        long acquired = System.nanoTime();
        long czxid = client.checkExists().forPath(contenderOf(mutex)).getCzxid();
        tell("acquired", acquired, czxid, mode);
        Thread.sleep(holdMs);
        tell("releasing", System.nanoTime(), czxid, mode);
        mutex.release();
    }

    private static String contenderOf(InterProcessMutex mutex) throws ReflectiveOperationException {
        Method lockPath = InterProcessMutex.class.getDeclaredMethod("getLockPath");
        lockPath.setAccessible(true);
        return (String) lockPath.invoke(mutex);
    }

    private static void tell(String what, long at, long czxid, String mode) {
        System.out.printf(
                "{\"what\":\"%s\",\"at\":\"%d\",\"czxid\":\"%d\",\"mode\":\"%s\"}%n", what, at, czxid, mode);
    }

    private static void endWithParent() {
        Thread watcher = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (java.io.IOException ended) {
                // A broken pipe also means the end.
            }
            Runtime.getRuntime().halt(1);
        });
        watcher.setDaemon(true);
        watcher.start();
    }
}
